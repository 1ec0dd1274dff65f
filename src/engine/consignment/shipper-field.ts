import { valueAt } from '../value.ts';
import { BESIDE, TRANSLATION } from './translation.ts';

const listOf = (path: string): string => path.replace(/\[\]\..*/, '');
const FROM = new Map(TRANSLATION.map(({ from, to }) => [to, from]));
const LISTS = new Map(TRANSLATION.map(({ from, to }) => [listOf(to), listOf(from)]));

/**
 * The fields of the shipper API behind a path of the roots: `consignment.itemList[1].itemWeight` →
 * `consignmentDetails.packageDetails[1].weight`; of a list, or an item of one, that itself. None where the value is
 * not of the order: settings, answers of the carrier, the shipper's registered details. `consignment`: tells what stands
 * in another field's place.
 */
export const shipperFields = (path: string, consignment?: unknown): readonly string[] => {
  if (path === 'remark') return ['remark'];
  const [isOfOrder, field, at = '[]', below = ''] = /^(?:consignment\.(.+)|items?(\[\d+\])?(\..+)?)$/.exec(path) ?? [];
  if (isOfOrder === undefined) return [];
  const own = inPlaceOf(field ?? `itemList${at}${below}`, consignment);
  // What is translated may be the whole of which this is a part.
  for (let end = own.length; end > 0; end = Math.max(own.lastIndexOf('.', end - 1), own.lastIndexOf('[', end - 1))) {
    const whole = own.slice(0, end);
    const from = FROM.get(whole.replaceAll(/\[\d+\]/g, '[]'));
    const indices = whole.match(/\[\d+\]/g)?.values();
    if (from?.startsWith('(') === true) return [];
    if (from !== undefined) return [from.replaceAll('[]', () => indices?.next().value ?? '[]') + own.slice(end)];
  }
  const [, list = '', item = ''] = /^([\w.]+)(\[\d*\])?$/.exec(own) ?? [];
  const from = LISTS.get(list);
  if (from !== undefined) return [from + item];
  return own.startsWith('info.') ? [own.slice('info.'.length)] : [];
};

/** Of what `translate` puts there where a field has no source of its own. */
const inPlaceOf = (path: string, consignment: unknown): string => {
  if (path === 'shippingDateTime' && valueAt(consignment, 'originPreferredStartTime') === undefined)
    return 'info.consignmentDetails.shipByDate';
  const [, name] = /^shipper\.(\w+)$/.exec(path) ?? [];
  if (name === undefined) return path;
  const origin = `origin${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return valueAt(consignment, origin) === valueAt(consignment, 'shipper', name) ? origin : path;
};

const NAMED = new Map([
  ...[...LISTS.keys()].map((list) => [list, list] as const),
  ...TRANSLATION.filter(({ from }) => !from.startsWith('(')).map(({ to }) => [to.replaceAll('[]', ''), to] as const),
]);
/** The fields of an order, as `requires` names them: `destinationPostalCode`, `itemList.itemWeight`. */
export const FIELD_NAMES: readonly string[] = [...NAMED.keys()];

/**
 * As `shipperFields`, of such a name, or one with an index. Of a list: of the entry `element` (`consignment.itemList[1]`)
 * where it is one of it, else of every entry.
 */
export const fieldsNamed = (name: string, consignment: unknown, element: string): readonly string[] => {
  const [list = '', ...below] = (NAMED.get(name) ?? name).split('[]');
  if (below.length === 0) return shipperFields(`consignment.${list}`, consignment);
  const entries = BESIDE[list] ?? list;
  const own = element.startsWith(`consignment.${entries}[`) ? /\d+/.exec(element)?.[0] : undefined;
  const all = valueAt(consignment, ...entries.split('.'));
  const places = own === undefined ? (Array.isArray(all) ? [...all.keys()] : []) : [own];
  return places.flatMap((at) => shipperFields(`consignment.${list}[${at}]${below.join('[0]')}`, consignment));
};
