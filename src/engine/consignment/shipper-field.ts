import { valueAt } from '../value.ts';
import { TRANSLATION } from './translation.ts';

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
