import anyAscii from 'any-ascii';
import { iso31661, iso31662 } from 'iso-3166';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { offsetAt } from '../../time-zone.ts';
import { closest } from '../closest.ts';
import { define, misuse, oneOf, predicate, text } from './function.ts';

type Country = (typeof iso31661)[number];

const COUNTRIES: ReadonlyMap<string, Country> = new Map(
  iso31661.flatMap((country) => [
    [country.alpha2, country],
    [country.alpha3, country],
  ]),
);
const NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** In English; what is no country is its own name. */
export const countryName = (alpha2: string): string => (COUNTRIES.has(alpha2) ? (NAMES.of(alpha2) ?? alpha2) : alpha2);

/** alpha-2 of an English name as `$country` writes it; undefined: nothing is called so. */
export const codeOfCountry = (name: string): string | undefined =>
  iso31661.find(({ alpha2 }) => NAMES.of(alpha2)?.toLowerCase() === name.toLowerCase())?.alpha2;

/** alpha-2 of what was probably meant: a code in small letters or of three, `UK`, or a name; undefined: nobody knows. */
export const meantCountry = (given: string): string | undefined => {
  const [word, upper] = [given.trim(), given.trim().toUpperCase()];
  const exact = COUNTRIES.get(upper === 'UK' ? 'GB' : upper)?.alpha2 ?? codeOfCountry(word);
  if (exact !== undefined || word.length < 4) return exact;
  const name = closest(
    word,
    iso31661.map(({ alpha2 }) => NAMES.of(alpha2) ?? alpha2),
  );
  return name && codeOfCountry(name);
};

const countryOf = (code: string, functionName: string, argument: number): Country => {
  const country = COUNTRIES.get(code.trim().toUpperCase());
  if (country === undefined)
    throw misuse(`$${functionName}: '${code.slice(0, 20)}' is not a country code of ISO 3166-1`, { argument });
  return country;
};

const country = define({
  name: 'country',
  refuses: 'what is no country code',
  doc: 'Converts a country code (alpha-2 or alpha-3) to `alpha2`, `alpha3`, `numeric` or the English `name`.',
  parameters: [text('code'), oneOf('form', ['alpha2', 'alpha3', 'numeric', 'name'])],
  gives: 'text',
  examples: [
    { expression: "$country('DE', 'alpha3')", result: 'DEU' },
    { expression: "$country('AU', 'numeric')", result: '036' },
    { expression: "$country('GB', 'name')", result: 'United Kingdom' },
  ],
  call(code, form) {
    const found = countryOf(code, 'country', 0);
    return form === 'name' ? (NAMES.of(found.alpha2) ?? found.name) : found[form];
  },
});

/** Country → folded name or code → code without the country. */
let regions: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;

/** `Asturias, Principado de` and `asturias principado de` alike; what stands in brackets does not count. */
const folded = (name: string): string =>
  anyAscii(name.replaceAll(/\([^)]*\)|\[[^\]]*\]/g, ' '))
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, ' ')
    .trim();

function readRegions(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byCountry = new Map<string, Map<string, string>>();
  const topLevel = iso31662.filter(({ parent }) => parent.length === 2);
  // The upper level first: Luxembourg, a province, must not hide Luxembourg, a region.
  for (const { code, name } of [...topLevel, ...iso31662]) {
    const [of = '', own = ''] = code.split('-', 2);
    const names = byCountry.get(of) ?? new Map<string, string>();
    byCountry.set(of, names);
    const variants = [name, ...name.split(/\s*[,/]\s*/u), name.split(', ').toReversed().join(' ')];
    for (const key of [own, ...variants].map(folded)) if (key !== '' && !names.has(key)) names.set(key, own);
  }
  return byCountry;
}

const region = define({
  name: 'region',
  doc: 'The code of a state, province or other subdivision of ISO 3166-2, without the country. Accepts its name, its code, or its code with the country; accents and case in names are ignored.',
  refuses: 'a subdivision that the country does not have, and what is no country code',
  parameters: [text('text'), text('country')],
  gives: 'text',
  examples: [
    { expression: "$region('Victoria', 'AU')", result: 'VIC' },
    { expression: "$region('us-ca', 'US')", result: 'CA' },
    { expression: "$region('Baden Wurttemberg', 'DE')", result: 'BW' },
  ],
  call(given, of) {
    const { alpha2 } = countryOf(of, 'region', 1);
    const code = regionOf(given, alpha2);
    if (code === undefined) throw misuse(`$region: ${alpha2} has no state or province '${given.slice(0, 60)}'`);
    return code;
  },
});

function regionOf(given: string, alpha2: string): string | undefined {
  const names = regionsOf(alpha2);
  const key = folded(given);
  return names?.get(key) ?? names?.get(key.replace(new RegExp(`^${alpha2.toLowerCase()} `), ''));
}

const regionsOf = (alpha2: string): ReadonlyMap<string, string> | undefined => {
  regions ??= readRegions();
  return regions.get(alpha2);
};

/** Whether `given` is no region of a country that has some, and the code of the one that was probably meant. */
export const unknownRegion = (given: string, alpha2: string): { readonly meant: string | undefined } | undefined => {
  const names = regionsOf(alpha2);
  if (names === undefined || regionOf(given, alpha2) !== undefined) return undefined;
  const near = closest(
    folded(given),
    [...names.keys()].filter((name) => name.length > 3),
  );
  return { meant: near && names.get(near) };
};

const phone = define({
  name: 'phone',
  doc: 'Formats a phone number as `e164` (`+61491570313`), `national` (the usual form in its country) or `digits` (the national form, digits only). `country` applies to numbers without `+`.',
  refuses: 'a number that is impossible in that country, and what is no country code',
  parameters: [text('text'), text('country'), oneOf('form', ['e164', 'national', 'digits'])],
  gives: 'text',
  examples: [
    { expression: "$phone('0491 570 313', 'AU', 'e164')", result: '+61491570313' },
    { expression: "$phone('+61 491 570 313', 'AU', 'digits')", result: '0491570313' },
  ],
  call(given, of, form) {
    const { alpha2 } = countryOf(of, 'phone', 1);
    const number = parsePhoneNumberFromString(given.slice(0, 250), alpha2 as CountryCode);
    if (number === undefined || !number.isPossible())
      throw misuse(`$phone: this is not a telephone number of ${alpha2}`);
    if (form === 'e164') return number.number;
    const national = number.formatNational();
    return form === 'national' ? national : national.replaceAll(/\D/g, '');
  },
});

/** `getTimeZones` is not among the types yet. */
const zonesOf = (alpha2: string): readonly string[] =>
  (new Intl.Locale(`und-${alpha2}`) as unknown as { getTimeZones(): readonly string[] | undefined }).getTimeZones() ??
  [];

const HALF_YEAR_MS = 182 * 86_400_000;

const zone = define({
  name: 'zone',
  doc: 'The IANA time zone of a country whose clocks are all the same, as for the local times of its events.',
  refuses: 'what is no country code, and a country of several times (`$try($zone(c), …)` says which)',
  parameters: [text('country')],
  gives: 'text',
  examples: [
    { expression: "$zone('DK')", result: 'Europe/Copenhagen' },
    { expression: "$try($zone('US'), 'America/New_York')", result: 'America/New_York' },
  ],
  call(of, context) {
    const { alpha2 } = countryOf(of, 'zone', 0);
    const [first, ...more] = zonesOf(alpha2);
    const clocks = (name: string): string => [0, HALF_YEAR_MS].map((ms) => offsetAt(context.nowMs + ms, name)).join();
    if (first === undefined || more.some((name) => clocks(name) !== clocks(first)))
      throw misuse(`$zone: ${alpha2} has ${first === undefined ? 'no time zone' : 'several times'}`, { argument: 0 });
    return first;
  },
});

const isCountry = predicate(
  {
    name: 'isCountry',
    doc: 'Whether `$country` takes the code.',
    parameters: [text('code')],
    examples: [
      { expression: "$isCountry('DE')", result: true },
      { expression: "$isCountry('Germany')", result: false },
    ],
  },
  country,
  (code) => [code, 'alpha2'],
);

const isRegion = predicate(
  {
    name: 'isRegion',
    doc: 'Whether `$region` takes the text.',
    parameters: [text('text'), text('country')],
    examples: [
      { expression: "$isRegion('Victoria', 'AU')", result: true },
      { expression: "$isRegion('Atlantis', 'AU')", result: false },
    ],
  },
  region,
);

const isPhone = predicate(
  {
    name: 'isPhone',
    doc: 'Whether `$phone` takes the text.',
    parameters: [text('text'), text('country')],
    examples: [
      { expression: "$isPhone('0491 570 313', 'AU')", result: true },
      { expression: "$isPhone('ask at the door', 'AU')", result: false },
    ],
  },
  phone,
  (given, of) => [given, of, 'e164'],
);

export const PLACES = [country, region, phone, zone, isCountry, isRegion, isPhone];
