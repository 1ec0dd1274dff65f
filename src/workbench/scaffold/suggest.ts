/** Suggests the field of a consignment for a field of the carrier, by its words, its type and its unit. */
import { type BodyShape, type Scalar, type ShapeField, wordsIn } from './shape.ts';
import { type End, endMeanings, ENDS, type Inside, LISTS, type Meaning, MEANINGS, UNITS } from './vocabulary.ts';

interface Suggestion {
  readonly expression: string;
  /** Why, for whoever confirms it. */
  readonly why: string;
}

interface CarrierField {
  readonly path: readonly string[];
  readonly shape: Scalar;
  readonly inside: Inside;
  /** Of the same map: units stand beside what they measure. */
  readonly siblings: readonly { readonly name: string; readonly shape: Scalar }[];
}

/** Undefined if no field of a consignment is like it. */
const suggest = (field: CarrierField): Suggestion | undefined => {
  const name = field.path.at(-1) ?? '';
  const unit = unitField(field);
  if (unit !== undefined) return unit;
  const found = best(field);
  if (found === undefined) return undefined;
  const { meaning, words } = found;
  const { expression, note } = inUnit(meaning, field);
  const typed = asType(expression, meaning.type === 'text' ? 'text' : 'number', field.shape);
  const because = `"${[...field.path.slice(-2, -1), name].join('.')}" is like ${plainName(meaning.expression)} (${words.join(' ')})`;
  return { expression: typed, why: note === undefined ? because : `${because}; ${note}` };
};

const plainName = (expression: string): string =>
  /[a-z]+[A-Z]\w*/.exec(expression)?.[0] ?? expression.replaceAll(/\W/g, '');

const best = ({
  path,
  inside,
}: CarrierField): { readonly meaning: Meaning; readonly words: readonly string[] } | undefined => {
  const own = wordsIn(path.at(-1) ?? '');
  const around = path.slice(0, -1).flatMap(wordsIn);
  const end = inside === 'head' ? endOf([...around, ...own]) : undefined;
  const meanings = [...(end === undefined ? [] : endMeanings(end)), ...MEANINGS[inside]];
  // A word of the field itself counts for more than one of what it stands in.
  const score = (row: readonly string[]): number =>
    row.every((word) => own.includes(word) || around.includes(word))
      ? row.reduce((sum, word) => sum + (own.includes(word) ? 2 : 0.5), 0)
      : 0;
  let top: { meaning: Meaning; words: readonly string[]; points: number } | undefined;
  for (const meaning of meanings) {
    for (const words of meaning.phrases) {
      const points = words.some((word) => own.includes(word)) ? score(words) : 0;
      if (points > (top?.points ?? 0)) top = { meaning, words, points };
    }
  }
  return top;
};

const endOf = (words: readonly string[]): End | undefined =>
  (['destination', 'origin'] as const).find((end) => ENDS[end].some((word) => words.includes(word)));

/** Which of our lists a list of the carrier corresponds to. */
const listKindOf = (name: string): 'package' | 'sku' | undefined => {
  const words = wordsIn(name);
  return (['sku', 'package'] as const).find((kind) => LISTS[kind].some((word) => words.includes(word)));
};

// Units and types ----------------------------------------------------------------------------------------------------

const isUnitName = (name: string): boolean => wordsIn(name).some((word) => /^(?:units?|uom|measure)$/.test(word));

/** A field that holds the unit of its neighbours gets the unit they are converted to. */
const unitField = ({ path, shape, siblings }: CarrierField): Suggestion | undefined => {
  const name = path.at(-1) ?? '';
  if (!isUnitName(name)) return undefined;
  const kind = [...path.flatMap(wordsIn), ...siblings.flatMap((one) => wordsIn(one.name))].some((word) =>
    /weight|mass/.test(word),
  )
    ? 'weight'
    : 'length';
  const written = String(shape.example ?? shape.oneOf?.[0] ?? (kind === 'weight' ? 'KG' : 'CM'));
  return { expression: JSON.stringify(written), why: 'the unit that the value beside it is converted to' };
};

const unitIn = (kind: 'weight' | 'length', text: string): string | undefined =>
  wordsIn(text)
    .map((word) => UNITS[kind].get(word))
    .find((unit) => unit !== undefined);

const inUnit = (
  { expression, type, unit }: Meaning,
  { path, shape, siblings }: CarrierField,
): { readonly expression: string; readonly note?: string } => {
  if ((type !== 'weight' && type !== 'length') || unit === undefined) return { expression };
  const beside = siblings
    .filter(({ name }) => isUnitName(name))
    .map((one) => String(one.shape.example ?? one.shape.oneOf?.[0] ?? ''));
  const stated = [path.at(-1) ?? '', shape.description ?? '', ...beside]
    .map((text) => unitIn(type, text))
    .find((found) => found !== undefined);
  const to = stated ?? (type === 'weight' ? 'KG' : 'CM');
  const digits = to === 'G' || to === 'MM' ? 0 : type === 'weight' ? 3 : 1;
  return {
    expression: `$convert(${expression}, ${unit}, "${to}", ${digits})`,
    note: stated === undefined ? `no unit is told, ${to} was taken` : `in ${to}`,
  };
};

const asType = (expression: string, has: 'text' | 'number', { type, maxLength }: Scalar): string => {
  if (type === 'text' && has === 'number') return `$string(${expression})`;
  if (type === 'number' && has === 'text') return `$number(${expression})`;
  return type === 'text' && maxLength !== undefined && maxLength < 100
    ? `$cut(${expression}, ${maxLength})`
    : expression;
};

interface Writing {
  readonly path: readonly string[];
  readonly inside: Inside;
  readonly indent: string;
  /** Paths of fields that need not be there and that nothing is like. */
  readonly left: string[];
}

export const writeMapping = (shape: BodyShape): string => {
  const left: string[] = [];
  const text = write(shape, { path: [], inside: 'head', indent: '', left });
  const note = left.length === 0 ? '' : `/* Not mapped, nothing is like them: ${left.slice(0, 60).join(', ')} */\n`;
  return `${note}consignment.${shape.kind === 'map' ? text : `(${text})`}\n`;
};

/** Marks what nobody has confirmed: `waybill lint` refuses it until the comment is gone. */
export const unconfirmed = (why: string): string =>
  `/* unconfirmed: ${why.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */`;

const write = (shape: BodyShape, writing: Writing): string => {
  switch (shape.kind) {
    case 'map':
      return writeMap(shape.fields, writing);
    case 'list':
      return writeList(shape.of, writing);
    case 'scalar':
      return unlike(shape);
  }
};

const writeMap = (fields: readonly ShapeField[], writing: Writing): string => {
  const indent = `${writing.indent}  `;
  const siblings = fields.flatMap(({ name, shape }) => (shape.kind === 'scalar' ? [{ name, shape }] : []));
  const lines = fields.flatMap((field): string[] => {
    const path = [...writing.path, field.name];
    const value =
      field.shape.kind === 'scalar'
        ? writeScalar(field, field.shape, { ...writing, path, indent }, siblings)
        : write(field.shape, { ...writing, path, indent });
    return value === undefined || value === '{}' ? [] : [`${indent}${JSON.stringify(field.name)}: ${value}`];
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${writing.indent}}`;
};

const writeScalar = (
  { required }: ShapeField,
  shape: Scalar,
  { path, inside, left }: Writing,
  siblings: readonly { readonly name: string; readonly shape: Scalar }[],
): string | undefined => {
  const found = suggest({ path, shape, inside, siblings });
  if (found !== undefined) return `${unconfirmed(found.why)} ${found.expression}`;
  if (required) return unlike(shape);
  left.push(path.join('.'));
  return undefined;
};

const unlike = (shape: Scalar): string => `${unconfirmed('nothing in a consignment is like it')} ${literal(shape)}`;

const literal = ({ example, oneOf, type }: Scalar): string =>
  JSON.stringify(example ?? oneOf?.[0] ?? (type === 'number' ? 0 : type === 'boolean' ? false : ''));

const writeList = (of: BodyShape, writing: Writing): string => {
  const name = writing.path.at(-1) ?? '';
  const kind = writing.inside === 'head' ? listKindOf(name) : undefined;
  if (of.kind === 'map' && kind !== undefined) {
    const list = kind === 'package' ? 'itemList' : 'skuList';
    return `[${list}.${write(of, { ...writing, inside: kind })}]`;
  }
  return `[${write(of, writing)}]`;
};
