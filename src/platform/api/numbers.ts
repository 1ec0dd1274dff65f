import { Type } from 'typebox';

/** A whole number in a path or query, where all is text; 15 digits fit a number exactly. */
export const number = (digits = 15) =>
  Type.String({ pattern: `^[1-9]\\d{0,${digits - 1}}$`, 'x-must': 'be a whole number greater than 0' });

export const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
