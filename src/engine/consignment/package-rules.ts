import { type Issue, issueAt } from '../validate.ts';
import { type Links, linksOf } from './links.ts';
import type { Order } from './order.ts';

type Details = Order['consignmentDetails'];
const DETAILS = 'consignmentDetails';

/** Packages, SKUs and services that refer to each other: ids are unique, references lead somewhere, units add up. */
export const packageRules = ({ consignmentDetails: details }: Order): readonly Issue[] => {
  const links = linksOf(details);
  return [
    ...uniqueIds(details),
    ...skuPackages(details, links),
    ...skuQuantities(details, links),
    ...targets(details, links),
  ];
};

const uniqueIds = ({ packageDetails, skuDetails = [] }: Details): Issue[] => [
  ...repeated('packageDetails', 'id', 'package ids', packageDetails),
  ...repeated('skuDetails', 'lineItemNo', 'line numbers', skuDetails),
];

const repeated = <Key extends string>(
  list: string,
  key: Key,
  names: string,
  entries: readonly Partial<Record<Key, unknown>>[],
): Issue[] => {
  const firsts = new Map<unknown, number>();
  return entries.flatMap((entry, at) => {
    const id: unknown = entry[key];
    if (id === undefined || id === '') return [];
    const first = firsts.get(id);
    firsts.set(id, first ?? at);
    if (first === undefined) return [];
    const says = `is the same as that of ${list}[${first}]; ${names} must be unique`;
    return [issueAt(`${DETAILS}.${list}[${at}].${key}`, 'unique', says)];
  });
};

const skuPackages = ({ skuDetails = [] }: Details, links: Links): Issue[] =>
  skuDetails.flatMap((sku, at) => {
    const path = `${DETAILS}.skuDetails[${at}].packageIds`;
    if (links.packagesOf(sku).length === 0)
      return [issueAt(path, 'sku_in_package', 'is required where there is more than one package')];
    return (sku.packageIds ?? []).flatMap((id, index) =>
      links.hasPackage(id)
        ? []
        : [issueAt(`${path}[${index}]`, 'sku_in_package', `"${id}" is not the id of a package`)],
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
    return [issueAt(`${DETAILS}.skuDetails[${at}].quantity`, 'sku_units', says)];
  });

const UNKNOWN_TARGET = 'neither the line number of a SKU nor the id of a package';

const targets = ({ vas = [] }: Details, links: Links): Issue[] =>
  vas.flatMap(({ level, targetIds = [] }, at) => {
    const path = `${DETAILS}.vas[${at}].targetIds`;
    if (level === 'SKU' && targetIds.length === 0)
      return [issueAt(path, 'targets_for_sku', 'is required when level is SKU')];
    return targetIds.flatMap((id, index) =>
      links.packageOfTarget(id, level) === undefined
        ? [issueAt(`${path}[${index}]`, 'target_known', `"${id}" is ${UNKNOWN_TARGET}`)]
        : [],
    );
  });
