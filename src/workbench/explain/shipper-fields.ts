import { TRANSLATION } from '../../engine/consignment/translation.ts';

/** The fields of the shipper's form behind the path of a root, as `consignment.originCity`; none where there are none. */
export const shipperFields = (path: string): readonly string[] => {
  if (path === 'remark') return ['remark'];
  if (/^service\b/.test(path)) return ['consignmentDetails.serviceType'];
  const field = path
    .replace(/^consignment\./, '')
    .replace(/^items?\b(?:\[\d+\])?/, 'itemList[]')
    .replaceAll(/\[\d+\]/g, '[]');
  const exact = TRANSLATION.find(({ to }) => to === field);
  if (exact !== undefined) return [exact.from];
  // What the contract has no field for stands in `info`, by its own path.
  if (field.startsWith('info.')) return [path.replace(/^consignment\.info\./, '')];
  // A list, or an item of one.
  const whole = field.replace(/(?:\[\])+$/, '');
  const list = TRANSLATION.find(({ to }) => to === whole || to.startsWith(`${whole}[].`));
  return list === undefined || whole === '' ? [] : [list.to === whole ? list.from : list.from.replace(/\[\]\..*$/, '')];
};
