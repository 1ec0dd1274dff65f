import { isCountry } from '../../validate.ts';
import { type PostcodeRange, parsePostcodes } from '../../rates/zones.ts';
import * as f from './field.ts';

const help = 'one, such as 10117; those that begin alike, such as 10*; or a range, such as 20000..29999';

const postcodes = f.compiledAs(
  f.list(
    f.plain('A postcode, a beginning or a range.', '20000..29999', {
      issue: f.unless((text) => parsePostcodes(text) !== undefined, 'is no postcodes', help),
    }),
    'Its postcodes; spaces, dashes and case do not count.',
    ['20000..29999', '18*'],
    { notEmpty: true, otherwise: 'all of the countries' },
  ),
  (written) => written.flatMap((text): PostcodeRange | readonly never[] => parsePostcodes(text) ?? []),
);

export const zone = f.group('Countries, or some of their postcodes.', { example: ['countries', 'postcodes'] })({
  countries: f.list(
    f.plain('A country, ISO 3166-1 alpha-2.', 'DE', {
      issue: f.unless(isCountry, 'is not a country of ISO 3166-1 alpha-2', 'such as DE'),
    }),
    'Its countries.',
    ['DE'],
    { notEmpty: true, otherwise: 'all' },
  ),
  postcodes,
});

/** Where places lie, by names of the author's choosing. */
export const zones = f.mapOf(
  zone,
  'Zones of destinations, by name.',
  { north: { countries: ['DE'], postcodes: ['20000..29999'] } },
  { names: f.NAMES },
);
