import type { Issue } from '../validate.ts';
import { type Links, linksOf } from './links.ts';
import type { Order } from './schema.ts';

type Details = Order['consignmentDetails'];
const DETAILS = 'consignmentDetails';

/** Packages, SKUs and services that refer to each other: ids are unique, references lead somewhere, units add up. */
export const linkRules = ({ consignmentDetails: details }: Order): readonly Issue[] => {
  const links = linksOf(details);
  return [
    ...uniqueIds(details),
    ...skuPackages(details, links),
    ...skuQuantities(details, links),
    ...targets(details, links),
  ];
};

const uniqueIds = ({ packageDetails, skuDetails = [] }: Details): Issue[] => [
  ...repeated(packageDetails.map(({ id }) => id)).map(({ at, first }) =>
    finding(
      `${DETAILS}.packageDetails[${at}].id`,
      'unique',
      `is the same as that of packageDetails[${first}]; package ids must be unique`,
    ),
  ),
  ...repeated(skuDetails.map(({ lineItemNo }) => lineItemNo)).map(({ at, first }) =>
    finding(
      `${DETAILS}.skuDetails[${at}].lineItemNo`,
      'unique',
      `is the same as that of skuDetails[${first}]; line numbers must be unique`,
    ),
  ),
];

const repeated = (ids: readonly (string | undefined)[]): { at: number; first: number }[] => {
  const firsts = new Map<string, number>();
  return ids.flatMap((id, at) => {
    if (id === undefined || id === '') return [];
    const first = firsts.get(id);
    if (first !== undefined) return [{ at, first }];
    firsts.set(id, at);
    return [];
  });
};

const skuPackages = ({ skuDetails = [] }: Details, links: Links): Issue[] =>
  skuDetails.flatMap((sku, at) => {
    const path = `${DETAILS}.skuDetails[${at}].packageIds`;
    if (links.packagesOf(sku).length === 0)
      return [finding(path, 'sku_in_package', 'is required where there is more than one package')];
    return (sku.packageIds ?? []).flatMap((id, index) =>
      links.hasPackage(id)
        ? []
        : [finding(`${path}[${index}]`, 'sku_in_package', `"${id}" is not the id of a package`)],
    );
  });

/**
 * A SKU's quantity is the units of its packages. SKUs that share packages satisfy it together: two different SKUs in
 * one package of two units, one of each, are right as well.
 */
const skuQuantities = ({ skuDetails = [] }: Details, links: Links): Issue[] =>
  skuDetails.flatMap((sku, at) => {
    const units = links.unitsOf(sku);
    if (sku.quantity === undefined || units === 0 || sku.quantity === units) return [];
    const shared = links.sharedBy(sku);
    if (shared.quantity === shared.units) return [];
    const says = `is ${sku.quantity}, but must equal the units of its packages, which is ${units}`;
    return [finding(`${DETAILS}.skuDetails[${at}].quantity`, 'sku_units', says)];
  });

const targets = ({ vas = [] }: Details, links: Links): Issue[] =>
  vas.flatMap(({ level, targetIds = [] }, at) => {
    const path = `${DETAILS}.vas[${at}].targetIds`;
    if (level === 'SKU' && targetIds.length === 0)
      return [finding(path, 'targets_for_sku', 'is required when level is SKU')];
    return targetIds.flatMap((id, index) =>
      links.packageOfTarget(id, level) === undefined
        ? [
            finding(
              `${path}[${index}]`,
              'target_known',
              `"${id}" is neither the line number of a SKU nor the id of a package`,
            ),
          ]
        : [],
    );
  });

const finding = (path: string, rule: string, says: string): Issue => ({ path, message: `${path} ${says}`, rule });
