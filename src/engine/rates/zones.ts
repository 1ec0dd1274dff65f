/** A zone of a tariff or of slots: countries, or some of their postcodes. */
export interface Zone {
  /** ISO 3166-1 alpha-2; undefined: all. */
  readonly countries?: readonly string[] | undefined;
  /** Undefined: all. */
  readonly postcodes?: readonly PostcodeRange[] | undefined;
}

/** Both ends are as long as one another: so many characters of a postcode count. */
export interface PostcodeRange {
  readonly from: string;
  readonly to: string;
  /** Whether longer postcodes that begin so belong to it. */
  readonly isPrefix: boolean;
}

/** As postcodes are compared. */
export const bare = (postcode: string): string => postcode.replaceAll(/[\s-]/g, '').toUpperCase();

/** `10117`, `10*` (all that begin so) or `20000..29999`; undefined: it is none of these. */
export const parsePostcodes = (text: string): PostcodeRange | undefined => {
  // No country writes postcodes as two equal parts: it is a range that is meant.
  const [, one = '', other = '-'] = /^\s*(\w+)\s*-\s*(\w+)\s*$/.exec(text) ?? [];
  if (one.length === other.length) return undefined;
  const [from = '', to = from, ...more] = bare(text.replace(/\*$/, '')).split('..');
  const isRange = /^[A-Z0-9]+$/.test(from) && /^[A-Z0-9]+$/.test(to) && from.length === to.length && from <= to;
  return isRange && more.length === 0 ? { from, to, isPrefix: /\*$|\.\./.test(text) } : undefined;
};

const lies = (postcode: string, { from, to, isPrefix }: PostcodeRange): boolean => {
  const start = postcode.slice(0, from.length);
  const isLongEnough = isPrefix ? start.length === from.length : postcode.length === from.length;
  return isLongEnough && from <= start && start <= to;
};

/** Whether a place lies in the zone. */
export const isInZone = ({ countries, postcodes }: Zone, country: string, postcode: string): boolean => {
  if (countries?.includes(country) === false) return false;
  return postcodes?.some((range) => lies(bare(postcode), range)) ?? true;
};
