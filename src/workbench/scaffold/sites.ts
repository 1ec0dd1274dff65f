/** The fields of a carrier's body, each with all that tells what it is, and which fields of a consignment are called so. */
import type { BodyFormat } from './sample.ts';
import { type BodyShape, exampleOf, leavesOf, type Scalar, wordsIn } from './shape.ts';
import { unitIn } from './values.ts';
import { type End, END_MEANINGS, ENDS, type Inside, LISTS, type Meaning, MEANINGS } from './vocabulary.ts';

export interface Site {
  readonly key: string;
  readonly shape: Scalar;
  readonly own: readonly string[];
  readonly around: readonly string[];
  readonly inside: Inside;
  readonly index: number;
  readonly siblings: readonly { readonly name: string; readonly text: string }[];
  readonly isText: boolean;
  /** What the body measures in, as far as it says so anywhere. */
  readonly units: { weight?: string | undefined; length?: string | undefined };
}
export interface Ranked {
  readonly meaning: Meaning;
  readonly words: readonly string[];
  readonly points: number;
  /** All that its name says is in these words, and which end it is was said. */
  readonly isExact: boolean;
}

export const siteKey = (path: readonly (string | number)[]): string => path.join('/');

/** Which of our lists a list of the carrier corresponds to; an element that has an address of its own is an order, not a part. */
const listKindOf = (name: string, elements: readonly BodyShape[]): 'package' | 'sku' | undefined => {
  const [first] = elements;
  if (first?.kind !== 'map') return undefined;
  const names = wordsIn(name);
  const inner = new Set(leavesOf(first).flatMap(({ path }) => path.flatMap(wordsIn)));
  if (['city', 'town', 'suburb', 'street', 'postcode', 'postal', 'zip'].some((word) => inner.has(word)))
    return undefined;
  const has = (kind: keyof typeof LISTS): boolean => LISTS[kind].has.some((word) => inner.has(word));
  const isNamed = (kind: keyof typeof LISTS): boolean => LISTS[kind].names.some((word) => names.includes(word));
  return (['sku', 'package'] as const).find((kind) => isNamed(kind) && has(kind));
};

/** A map of XML that would be a list, were there more than one. */
export const elementsOf = (name: string, shape: BodyShape, format: BodyFormat, inside: Inside) => {
  const isXml = format === 'xml' || format === 'soap';
  // What only holds the list is not the list.
  const isAlone =
    isXml && shape.kind === 'map' && !(shape.fields.length === 1 && shape.fields[0]?.shape.kind !== 'scalar');
  const elements = shape.kind === 'list' ? shape.of : isAlone ? [shape] : [];
  const kind = inside === 'head' ? listKindOf(name, elements) : undefined;
  return kind === undefined ? undefined : { kind, elements };
};

export const sitesOf = (body: BodyShape, format: BodyFormat): readonly Site[] => {
  const sites: Site[] = [];
  const isText = format !== 'json';
  const units: Site['units'] = {};
  const walk = (
    shape: BodyShape,
    path: readonly (string | number)[],
    inside: Inside,
    index: number,
    siblings: Site['siblings'],
  ): void => {
    const names = path.filter((one) => typeof one === 'string' && one !== '*' && one !== '#text');
    const ours = elementsOf(String(names.at(-1) ?? ''), shape, format, inside);
    if (ours !== undefined) {
      ours.elements.forEach((one, at) => walk(one, [...path, '*'], ours.kind, at, []));
    } else if (shape.kind === 'list') shape.of.forEach((one, at) => walk(one, [...path, at], inside, index, []));
    else if (shape.kind === 'map') {
      const beside = shape.fields.flatMap(({ name, shape: inner }) => flat(inner).map((text) => ({ name, text })));
      for (const { name, shape: inner } of shape.fields)
        walk(
          inner,
          [...path, name],
          inside,
          index,
          inner.kind === 'map' ? beside.filter((one) => isUnitName(one.name)) : [...siblings, ...beside],
        );
    } else {
      const at = path.at(-1);
      const bare = wordsIn(String(names.at(-1) ?? ''));
      // `{ type: ORDER, value: … }` is named by its neighbour.
      const named = /^(?:value|text|number|id|content)$/.test(bare.join())
        ? siblings.find(({ name }) => /(?:type|qualifier|key|name)(?:code)?$/i.test(name))
        : undefined;
      const own = [
        ...bare,
        ...wordsIn(named?.text ?? ''),
        ...(typeof at === 'number' && at > 0 ? [String(at + 1)] : []),
      ];
      for (const kind of ['weight', 'length'] as const)
        units[kind] ??= [own.join(' '), ...unitsBeside(siblings)].map((text) => unitIn(kind, text)).find(Boolean);
      sites.push({
        key: siteKey(path),
        shape,
        own,
        around: names.slice(0, -1).flatMap((one) => wordsIn(String(one))),
        inside,
        index,
        siblings,
        isText,
        units,
      });
    }
  };
  walk(body, [], 'head', 0, []);
  return sites;
};
/** A unit may stand in a map of its own: `units: { code: KG }`. */
const flat = (shape: BodyShape): string[] =>
  shape.kind === 'scalar'
    ? [String(exampleOf(shape))]
    : shape.kind === 'map' && shape.fields.length <= 2
      ? shape.fields.flatMap((one) => flat(one.shape))
      : [];

/** The texts of units that stand beside a field. */
const unitsBeside = (siblings: Site['siblings']): string[] =>
  siblings.filter(({ name }) => isUnitName(name)).map(({ text }) => text);

export const isUnitName = (name: string): boolean =>
  /(?:^|_)(?:units?|uom|measure(?:ment)?)(?:_code|_of_\w+)?$/.test(wordsIn(name).join('_'));

// Names --------------------------------------------------------------------------------------------------------------

const endOf = (words: readonly string[]): End | undefined => {
  // The word nearest to the field counts.
  for (const word of words.toReversed()) {
    const end = (['destination', 'origin'] as const).find((one) => ENDS[one].includes(word));
    if (end !== undefined) return end;
  }
  return undefined;
};
const ADDRESS = /^(?:address|contact|party|name|street|city|zip|postcode|phone|email|person|country)$/;

export const rank = (site: Site, isPerPackage: boolean): readonly Ranked[] => {
  const { own, around, inside } = site;
  const said = endOf([...around, ...own]);
  const isAddress = [...around, ...own].some((word) => ADDRESS.test(word));
  const end = said ?? (isAddress ? 'destination' : undefined);
  const isParcel = [...around, ...own].some((word) => /^(?:parcel|package|piece)$/.test(word));
  const ofPackage = MEANINGS.package.filter(({ type }) => type === 'length' || (isPerPackage && type === 'weight'));
  const ofParcel = MEANINGS.package.filter(({ type }) => isParcel && (type === 'reference' || type === 'words'));
  const ofHead = MEANINGS.head.filter(({ type }) => /^(?:currency|reference|service)$/.test(type));
  const ofEnd = end === undefined ? [] : END_MEANINGS[end];
  const meanings =
    inside === 'head' ? [...ofPackage, ...ofParcel, ...ofEnd, ...MEANINGS.head] : [...MEANINGS[inside], ...ofHead];
  const isEndWord = (word: string): boolean => said !== undefined && ENDS[said].includes(word);
  const ranked = meanings.flatMap((meaning, at): (Ranked & { at: number })[] => {
    const best = meaning.phrases
      .filter(
        (words) =>
          words.some((word) => own.includes(word)) &&
          words.every((word) => own.includes(word) || around.includes(word)),
      )
      .map((words) => ({ words, points: words.reduce((sum, word) => sum + (own.includes(word) ? 2 : 0.5), 0) }))
      .sort((one, other) => other.points - one.points)[0];
    if (best === undefined) return [];
    const rest = own.filter(
      (word) =>
        !best.words.includes(word) &&
        !isEndWord(word) &&
        unitIn('weight', word) === undefined &&
        unitIn('length', word) === undefined &&
        !/^(?:of|and|the|code|\d)$/.test(word),
    );
    const points =
      best.points -
      rest.length * 0.7 -
      (rest.some((word) => /^(?:type|format|indicator|options?)$/.test(word)) ? 3 : 0) -
      (meaning.end === undefined && end !== undefined && isAddress ? 1 : 0);
    return points <= 0.3
      ? []
      : [
          {
            meaning,
            words: best.words,
            points,
            at,
            isExact: rest.length === 0 && (meaning.end === undefined || said !== undefined),
          },
        ];
  });
  return ranked.sort((one, other) => other.points - one.points || one.at - other.at);
};

// Units ---------------------------------------------------------------------------------------------------------------

/** The unit that the carrier wants a measure in. */
export const unitTo = (
  { own, siblings, shape, units }: Site,
  { type }: Meaning,
): { readonly unit: string; readonly isStated: boolean } => {
  const kind = type === 'weight' ? 'weight' : 'length';
  const stated = [own.join(' '), ...unitsBeside(siblings), shape.description ?? '']
    .map((text) => unitIn(kind, text))
    .find((unit) => unit !== undefined);
  return { unit: stated ?? units[kind] ?? (kind === 'weight' ? 'KG' : 'CM'), isStated: stated !== undefined };
};

/** A field that holds the unit of its neighbours: it says the unit they are converted to. */
export const isUnit = ({ own, shape, key }: Site): boolean => {
  const text = String(exampleOf(shape));
  const isNamed = isUnitName(own.join('_')) || isUnitName(key.split('/').at(-2) ?? '');
  return isNamed && (unitIn('weight', text) ?? unitIn('length', text)) !== undefined;
};
