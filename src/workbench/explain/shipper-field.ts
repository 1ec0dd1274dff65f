/** Where a field of the canonical consignment comes from, in the shipper's form. */
import { DERIVED, HEAD_ROWS, ITEM_ROWS, SKU_ROWS, VAS_ROWS } from '../../engine/consignment/translation-table.ts';

const SCOPES: readonly (readonly [
  prefix: RegExp,
  rows: readonly { readonly from: string; readonly to: string }[],
  scope: string,
])[] = [
  [/^consignment\.itemList(?:\[\d+\])?\.|^items?(?:\[\d+\])?\./, ITEM_ROWS, 'packageDetails[].'],
  [/^consignment\.skuList(?:\[\d+\])?\./, SKU_ROWS, 'skuDetails[].'],
  [/^consignment\.vas(?:\[\d+\])?\./, VAS_ROWS, 'vasDetails[].'],
  [/^consignment\./, HEAD_ROWS, ''],
];

/** By the path of a root, as `consignment.originCity` or `item.itemName`; undefined where no shipper's field stands behind it. */
export const shipperField = (path: string): string | undefined => {
  for (const [prefix, rows, scope] of SCOPES) {
    if (!prefix.test(path)) continue;
    const field = path.replace(prefix, '');
    const row = rows.find(({ to }) => to === field);
    if (row !== undefined) return `${scope}${row.from}`;
    const derived = DERIVED.find(({ to }) => to === field || to === path.replace(/^consignment\./, ''));
    if (derived !== undefined) return derived.from;
  }
  return undefined;
};
