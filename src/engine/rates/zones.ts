import { britishKey, britishRange, type BritishRange, britishSector, isBritish } from './british-postcodes.ts';

/** A zone of a tariff or of slots: countries, or some of their postcodes. */
export interface Zone {
  /** ISO 3166-1 alpha-2; undefined: all. */
  readonly countries?: readonly string[] | undefined;
  /** Undefined: all. */
  readonly postcodes?: readonly PostcodeRange[] | undefined;
}

/** Both ends are as long as one another, unless it is a range of British districts alone: so many characters of a postcode count. */
export interface PostcodeRange {
  readonly from: string;
  readonly to: string;
  /** Whether longer postcodes that begin so belong to it. */
  readonly isPrefix: boolean;
  /** What it is in the United Kingdom, where that is another. */
  readonly british?: BritishRange | undefined;
}

/** As postcodes are compared. */
export const bare = (postcode: string): string => postcode.replaceAll(/[\s-]/g, '').toUpperCase();

/** `10117`, `10*` (all that begin so), `20000..29999` or `IV1..IV28`; undefined: it is none of these. */
export const parsePostcodes = (text: string): PostcodeRange | undefined => {
  // No country writes postcodes as two equal parts: it is a range that is meant.
  const [, one = '', other = '-'] = /^\s*(\w+)\s*-\s*(\w+)\s*$/.exec(text) ?? [];
  if (one.length === other.length || britishRange(one.toUpperCase(), other.toUpperCase()) !== undefined)
    return undefined;
  const [from = '', to = from, ...more] = bare(text.replace(/\*$/, '')).split('..');
  const british = britishSector(text) ?? britishRange(from, to);
  const isRange = /^[A-Z0-9]+$/.test(from) && /^[A-Z0-9]+$/.test(to) && from.length === to.length && from <= to;
  if (more.length > 0 || (!isRange && british === undefined)) return undefined;
  return { from, to, isPrefix: /\*$|\.\./.test(text), ...(british && { british }) };
};

/** The ends that count in a country. */
export const endsIn = (country: string, range: PostcodeRange): BritishRange =>
  (isBritish(country) ? range.british : undefined) ?? range;

const lies = (postcode: string, { from, to, isPrefix }: PostcodeRange): boolean => {
  const start = postcode.slice(0, from.length);
  const isLongEnough = isPrefix ? start.length === from.length : postcode.length === from.length;
  return from.length === to.length && isLongEnough && from <= start && start <= to;
};

const liesIn = (country: string, postcode: string, range: PostcodeRange): boolean => {
  const key = isBritish(country) && range.british !== undefined ? britishKey(postcode) : undefined;
  return key === undefined ? lies(postcode, range) : lies(key, { ...endsIn(country, range), isPrefix: true });
};

/** Whether a place lies in the zone. */
export const isInZone = ({ countries, postcodes }: Zone, country: string, postcode: string): boolean => {
  if (countries?.includes(country) === false) return false;
  return postcodes?.some((range) => liesIn(country, bare(postcode), range)) ?? true;
};
