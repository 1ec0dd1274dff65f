import { ADDRESSES } from './address.ts';
import { CHECKING, CODES } from './code.ts';
import { CHOOSING } from './choose.ts';
import { PLACES } from './country.ts';
import { DRAWING } from './draw.ts';
import type { MappingFunction } from './function.ts';
import { NUMBERS } from './number.ts';
import { TEXTS } from './text.ts';
import { TIMES } from './time.ts';

/** The functions of the language beside JSONata's own, in the groups that the documentation shows. */
export const GROUPS: readonly { readonly title: string; readonly functions: readonly MappingFunction[] }[] = [
  { title: 'Choosing', functions: CHOOSING },
  { title: 'Numbers', functions: NUMBERS },
  { title: 'Texts', functions: TEXTS },
  { title: 'Names and addresses', functions: ADDRESSES },
  { title: 'Countries, regions, phone numbers', functions: PLACES },
  { title: 'Time', functions: TIMES },
  { title: 'Formats and codes', functions: CODES },
  { title: 'Check digits', functions: CHECKING },
  { title: 'Generated values', functions: DRAWING },
];

export const LIBRARY: ReadonlyMap<string, MappingFunction> = new Map(
  GROUPS.flatMap(({ functions }) => functions).map((each) => [each.name, each]),
);
