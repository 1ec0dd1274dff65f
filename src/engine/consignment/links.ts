import type { Package, Sku, Vas } from './order.ts';

interface Lists {
  readonly packageDetails: readonly Package[];
  readonly skuDetails?: readonly Sku[] | undefined;
}

/**
 * How the SKUs and services of an order refer to its packages. What refers to nothing is for the rules to name. Looks
 * once over the lists, whose length is the shipper's to choose; each question is then cheap.
 */
export const linksOf = ({ packageDetails, skuDetails = [] }: Lists) => {
  const units = new Map<string, number>();
  for (const { id, quantity } of packageDetails) units.set(id, (units.get(id) ?? 0) + quantity);
  const only = packageDetails.length === 1 ? packageDetails.map(({ id }) => id) : [];
  /** Ids of the packages a SKU is in: those it lists, or the only one there is. */
  const packagesOf = ({ packageIds = [] }: Sku): readonly string[] => (packageIds.length > 0 ? packageIds : only);

  const lines = new Map<string, Sku>();
  for (const sku of skuDetails)
    if (sku.lineItemNo !== undefined && !lines.has(sku.lineItemNo)) lines.set(sku.lineItemNo, sku);

  const groups = groupsOf(skuDetails.map(packagesOf));
  const shares = new Map<string, { quantity: number; units: number }>();
  const shareOf = (group: string): { quantity: number; units: number } => {
    const share = shares.get(group) ?? { quantity: 0, units: 0 };
    shares.set(group, share);
    return share;
  };
  for (const sku of skuDetails) shareOf(groups(packagesOf(sku)[0] ?? '')).quantity += sku.quantity ?? 0;
  for (const [id, held] of units) shareOf(groups(id)).units += held;

  return {
    hasPackage: (id: string) => units.has(id),
    packagesOf,
    /** In the packages a SKU is in. */
    unitsOf: (sku: Sku) => [...new Set(packagesOf(sku))].reduce((sum, id) => sum + (units.get(id) ?? 0), 0),
    /** Quantity of a SKU and of all it shares packages with, directly or not, and the units of those packages. */
    sharedBy: (sku: Sku) => shareOf(groups(packagesOf(sku)[0] ?? '')),
    /**
     * The package that a target of a service means: itself when it is a package's id, else the first package of the
     * SKU with that line number. Where a text is both, `level` decides. Undefined: it names nothing.
     */
    packageOfTarget: (target: string, level: Vas['level']) => {
      const asPackage = units.has(target) ? target : undefined;
      const sku = lines.get(target);
      const asSku = sku === undefined ? undefined : packagesOf(sku)[0];
      return level === 'SKU' ? (asSku ?? asPackage) : (asPackage ?? asSku);
    },
  };
};
export type Links = ReturnType<typeof linksOf>;

/** Joins the ids that stand in one list with each other; gives the id that speaks for an id's group. */
const groupsOf = (lists: readonly (readonly string[])[]): ((id: string) => string) => {
  const parents = new Map<string, string>();
  const root = (id: string): string => {
    let at = id;
    for (let above = parents.get(at); above !== undefined; above = parents.get(at)) {
      const higher = parents.get(above);
      if (higher !== undefined) parents.set(at, higher);
      at = above;
    }
    return at;
  };
  for (const [first, ...others] of lists) {
    if (first === undefined) continue;
    for (const other of others) {
      const [left, right] = [root(first), root(other)];
      if (left !== right) parents.set(right, left);
    }
  }
  return root;
};
