/** Postcodes of the United Kingdom by district: N1 is the beginning neither of N10 nor of NE1, and IV1 to IV28 is a range. */

const COUNTRIES: ReadonlySet<string> = new Set(['GB', 'GG', 'IM', 'JE']);
export const isBritish = (country: string): boolean => COUNTRIES.has(country);

/** Area, district with its letter, and the rest: `SW`, `SW1`, `SW1A`, `SW1A1AA`. */
const FORM = /^([A-Z]{1,2})(?:(\d{1,2})([A-Z]?)(\d[A-Z]{2})?)?$/;

/** As a text of which the beginnings are areas and districts, in their order; undefined: it is no such postcode. */
export const britishKey = (bare: string): string | undefined => {
  const [, area, district, letter = '', rest = ''] = FORM.exec(bare) ?? [];
  if (area === undefined) return undefined;
  const outward = area.padEnd(2, '0') + (district?.padStart(2, '0') ?? '');
  return outward + (rest === '' ? letter : letter.padEnd(1, '0') + rest);
};

/** Both ends are as long as one another. */
export interface BritishRange {
  readonly from: string;
  readonly to: string;
}

export const britishRange = (bareFrom: string, bareTo: string): BritishRange | undefined => {
  const [from, to] = [britishKey(bareFrom), britishKey(bareTo)];
  return from !== undefined && to !== undefined && from.length === to.length && from <= to ? { from, to } : undefined;
};

/** `M1 1*`: without its space nobody could tell the sector from the district M11. */
export const britishSector = (written: string): BritishRange | undefined => {
  const [, outward, digit] = /^\s*(\w+)\s+(\d)\s*\*\s*$/.exec(written.toUpperCase()) ?? [];
  const key = outward === undefined ? undefined : britishKey(`${outward}${digit}AA`)?.slice(0, -2);
  return key === undefined ? undefined : { from: key, to: key };
};
