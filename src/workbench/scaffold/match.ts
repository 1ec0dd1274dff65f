/**
 * Finds the field of a consignment behind each field of a carrier's. The values of a sample become the consignment of
 * its case first, each where its name says; then a field is what yields its very value, and by name and unit only where
 * no sample shows a value.
 */
import { type Fields, type Placed, placeValues } from './place.ts';
import type { BodyFormat } from './sample.ts';
import { type BodyShape, exampleOf } from './shape.ts';
import { isUnit, isUnitName, type Ranked, type Site, sitesOf, unitTo } from './sites.ts';
import { waysBack, yieldOf } from './values.ts';
import type { Meaning } from './vocabulary.ts';

/** What stands for a field of the carrier's, and why somebody should look; without a reason nobody has to. */
interface Match {
  readonly expression: string;
  readonly why?: string;
}

export interface Matched extends Pick<Placed, 'consignment' | 'serviceCode' | 'isPerPackage'> {
  /** By the path of a field, `siteKey`; undefined: nothing is like it. */
  readonly find: (key: string) => Match | undefined;
}

/** Of an expression the form that gives a field its very value; undefined: it yields another one. */
type Proving = (expression: string) => string | undefined;

/** `base`: what a consignment has beside what the body says. */
export const match = (body: BodyShape, format: BodyFormat, base: Readonly<Fields>): Matched => {
  const sites = sitesOf(body, format).filter(({ shape }) => shape.expression === undefined);
  const placed = placeValues(sites, base);
  const { consignment, serviceCode, isPerPackage, itemList } = placed;
  const roots = { consignment, service: { name: 'Standard', code: serviceCode ?? 'STANDARD' }, item: itemList[0] };
  const evaluate = (expression: string, { inside, index }: Site): string | number | undefined => {
    const context = { head: '', package: `itemList[${index}].`, sku: `skuList[${index}].` }[inside];
    return yieldOf(`consignment.${context}(${expression})`, roots);
  };
  const groups = Map.groupBy(sites, ({ key }) => key);
  const find = (key: string): Match | undefined => {
    const group = groups.get(key) ?? [];
    const [site] = group;
    if (site === undefined) return undefined;
    if (isUnit(site)) return { expression: JSON.stringify(exampleOf(site.shape)) };
    if (group.some(({ shape }) => shape.example === undefined)) return described(site, placed);
    const proving: Proving = (expression) => {
      const forms = group.map((one) => formOf(expression, one, evaluate(expression, one)));
      if (forms.includes(undefined)) return undefined;
      // One form for all, as one number may need zeros that another does not.
      const longest = forms.reduce((one, other) => ((other ?? '').length > (one ?? '').length ? other : one));
      const isTrue = (one: Site): boolean => String(evaluate(longest ?? '', one)) === String(one.shape.example);
      return group.every(isTrue) ? longest : undefined;
    };
    return byName(group, placed, proving) ?? byValue(site, placed, proving) ?? byPlace(group);
  };
  return { consignment, serviceCode, isPerPackage, find };
};

const likeness = ({ key }: Site, { meaning, words }: Ranked): string =>
  `"${namesOf(key)}" is like ${meaning.type === 'service' ? 'the service' : meaning.field} (${words.join(' ')})`;
const namesOf = (key: string): string =>
  key
    .split('/')
    .filter((one) => one !== '*')
    .slice(-2)
    .join('.');

const waysOf = (meaning: Meaning, site: Site, isPerPackage: boolean): readonly string[] => {
  if (isPerPackage && meaning.field === 'totalWeight') return [];
  const isItem = meaning.field.startsWith('item');
  const isHead = site.inside === 'head';
  const ofHead = isItem ? (isPerPackage ? '$item.' : 'itemList[0].') : '';
  const at = isHead ? ofHead : isItem || meaning.field.startsWith('sku') ? '' : '$consignment.';
  const { unit } = unitTo(site, meaning);
  const shown = /\.(\d+)$/.exec(String(site.shape.example ?? ''))?.[1]?.length ?? 0;
  const usual = unit === 'G' || unit === 'MM' ? 0 : meaning.type === 'weight' ? 3 : 1;
  return waysBack(meaning, at, unit, Math.max(shown, usual));
};

/** Types whose name and value together leave no doubt. */
const SURE = /^(?:text|person|company|street|postcode|country|state|phone|email|weight|length)$/;
/** Follows from the rest of a consignment. */
const DERIVED = /^(?:totalWeight|numberOfShipments)$/;

const byName = (group: readonly Site[], placed: Placed, proving: Proving): Match | undefined => {
  const [site] = group as readonly [Site];
  for (const ranked of placed.ranks.get(site) ?? []) {
    const { meaning, isExact } = ranked;
    const isThere = (one: Site): boolean =>
      DERIVED.test(meaning.field) || placed.isPlaced(placed.partOf(meaning, one), meaning.field);
    const isKnown = meaning.type === 'service' ? placed.serviceCode !== undefined : group.every(isThere);
    const ways = isKnown ? waysOf(meaning, site, placed.isPerPackage) : [];
    const expression = ways.map(proving).find((one) => one !== undefined);
    if (expression === undefined) continue;
    const isStated = meaning.unit === undefined || unitTo(site, meaning).isStated;
    const isSure = isExact && isStated && site.inside !== 'sku' && SURE.test(meaning.type) && isTelling(site);
    return isSure ? { expression } : { expression, why: likeness(site, ranked) };
  }
  return undefined;
};

/** Whatever its name: the same value as that of another field. */
const byValue = (
  site: Site,
  { placed, consignment, itemList, skuList, isPerPackage }: Placed,
  proving: Proving,
): Match | undefined => {
  if (!isTelling(site)) return undefined;
  const { inside, index } = site;
  const own = { head: undefined, package: itemList[index], sku: skuList[index] }[inside];
  const fields = (part: Fields | undefined, at: string): string[] =>
    [...((part && placed.get(part)) ?? [])]
      .filter((field) => !/Uom$|Country$/.test(field))
      .map((field) => `${at}${field}`);
  const known =
    own === undefined
      ? [...fields(consignment, ''), ...fields(itemList[0], isPerPackage ? '$item.' : 'itemList[0].')]
      : [...fields(own, ''), ...fields(consignment, '$consignment.')];
  const expression = known.map(proving).find((one) => one !== undefined);
  return expression === undefined ? undefined : { expression, why: `"${namesOf(site.key)}" has the same value` };
};

/** Elements that differ in what nothing is like: by their place, `$i`. */
const byPlace = (group: readonly Site[]): Match | undefined => {
  const values = group.map(({ shape }) => JSON.stringify(shape.example));
  const isOne = new Set(values).size === 1;
  return isOne
    ? undefined
    : { expression: `[${values.join(', ')}][$i]`, why: 'nothing in a consignment is like these' };
};

/** A value that is hardly the same by chance. */
const isTelling = ({ shape: { example } }: Site): boolean =>
  typeof example === 'number'
    ? Math.abs(example) >= 2
    : typeof example === 'string' && example.length >= 2 && !/^(?:true|false|yes|no|none|null)$/i.test(example);

/** The expression as the carrier's type wants it; undefined: it yields another value. */
const formOf = (
  way: string,
  { shape: { example }, isText }: Site,
  value: string | number | undefined,
): string | undefined => {
  if (value === undefined || example === null) return undefined;
  const isSame = String(value) === String(example);
  if (isSame && (isText || typeof value === typeof example)) return way;
  if (isSame && typeof example === 'string') return `$string(${way})`;
  if (typeof example === 'number') return Number(value) === example ? `$number(${way})` : undefined;
  const decimals = /^\d+\.(\d+)$/.exec(String(example))?.[1];
  if (typeof value === 'number' && decimals !== undefined && value === Number(example))
    return `$formatNumber(${way}, "0.${'0'.repeat(decimals.length)}")`;
  return String(value).toUpperCase() === example ? `$uppercase(${way})` : undefined;
};

/** Of a document that shows no value: by name and unit alone. */
const described = (site: Site, { ranks, isPerPackage }: Placed): Match | undefined => {
  const ranked = ranks.get(site)?.[0];
  const { type, maxLength } = site.shape;
  const [way] = ranked === undefined ? [] : waysOf(ranked.meaning, site, isPerPackage);
  if (ranked === undefined || way === undefined || type === 'boolean' || isUnitName(site.own.join('_')))
    return undefined;
  const { meaning } = ranked;
  const isNumber = /^(?:number|price|weight|length)$/.test(meaning.type);
  const isFitting = site.isText || (type === 'number') === isNumber;
  const typed = isFitting ? way : `${type === 'number' ? '$number' : '$string'}(${way})`;
  const isShort = type === 'text' && !isNumber && maxLength !== undefined && maxLength < 100;
  const { isStated, unit } = unitTo(site, meaning);
  const note = meaning.unit === undefined ? '' : isStated ? `; in ${unit}` : `; no unit is told, ${unit} was taken`;
  return { expression: isShort ? `$cut(${typed}, ${maxLength})` : typed, why: `${likeness(site, ranked)}${note}` };
};
