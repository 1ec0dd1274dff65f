/** How calls about a shipment that is there name it: by what the answer to its create said. */
import { findTrackingNumber } from './answers.ts';
import { camel } from './credentials.ts';
import type { Described } from './describe.ts';
import type { Matched } from './match.ts';
import type { Body } from './sample.ts';
import { type Leaf, leavesOf } from './shape.ts';
import { sitesOf } from './sites.ts';

/** Value → the memo that keeps it, and where in the answer it stands. */
export type Remembered = ReadonlyMap<string, { readonly name: string; readonly leaf: Leaf }>;

const leavesIn = (body: Body | undefined): readonly Leaf[] => (body === undefined ? [] : leavesOf(body.shape));
const textOf = ({ shape: { example } }: Leaf): string => String(example ?? '');

const nameOf = ({ path }: Leaf): string => camel(path.at(-1) ?? '');

const PLACE = /(?<!\$)\{([^{}]+)\}/g;
const placesIn = (path: string): readonly string[] => [...path.matchAll(PLACE)].map(([, name = '']) => camel(name));
/** A path whose places are filled: each by what is remembered under its name, else by the number of a package. */
export const filled = (path: string, memo: Remembered) => {
  const names = [...memo.values()].map(({ name }) => name);
  const fill = (name: string): string =>
    names.includes(camel(name)) ? `\${shipment.memo.${camel(name)}}` : '${item.trackingNumber}';
  return {
    path: path.replaceAll(PLACE, (_, name: string) => fill(name)),
    isOfPackage: placesIn(path).some((one) => !names.includes(one)),
  };
};

/** What the answer to a create says and later calls send, beside tracking numbers. */
export const rememberedIn = ({ create, cancel, track, label }: Described): Remembered => {
  const numbers = trackingNumbers(create.answer?.shape);
  const sent = new Set([cancel, track, label].flatMap((call) => leavesIn(call?.request).map(textOf)));
  const named = new Set([cancel, track, label].flatMap((call) => placesIn(call?.path ?? '')));
  const found = (create.answer?.shape === undefined ? [] : leavesOf(create.answer.shape)).filter((leaf) => {
    const isSent = textOf(leaf).length >= 4 && sent.has(textOf(leaf));
    return (isSent || named.has(nameOf(leaf))) && !numbers.has(textOf(leaf));
  });
  return new Map(found.map((leaf) => [textOf(leaf), { name: nameOf(leaf), leaf }]));
};

const trackingNumbers = (answer: Body['shape'] | undefined): ReadonlySet<string> => {
  const path = findTrackingNumber(answer)?.path.join('/');
  const leaves = answer === undefined ? [] : leavesOf(answer);
  return new Set(leaves.filter((leaf) => leaf.path.join('/') === path).map(textOf));
};

const IS_NUMBER = /(?:track|shipment|parcel|consignment|waybill|barcode).*(?:number|id|no|code)$|^(?:awb|barcode)$/i;

/** What stands for the fields of such a call. */
export const matchLater = (
  { create }: Described,
  { shape, format }: Body,
  memo: Remembered,
  number: string,
): Pick<Matched, 'find'> => {
  const numbers = trackingNumbers(create.answer?.shape);
  const sites = new Map(sitesOf(shape, format).map((site) => [site.key, site.shape.example]));
  return {
    find: (key) => {
      const value = sites.get(key);
      const kept = memo.get(String(value));
      if (numbers.has(String(value))) return { expression: number };
      if (kept !== undefined) return { expression: `$shipment.memo.${kept.name}` };
      const name = key.split('/').at(-1) ?? '';
      return value === undefined && IS_NUMBER.test(name)
        ? { expression: number, why: 'by its name; no sample shows it' }
        : undefined;
    },
  };
};
