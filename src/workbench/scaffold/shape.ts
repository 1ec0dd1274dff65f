/** What a body of the carrier's looks like, whether a document describes it or a sample shows it. */
export type BodyShape =
  | { readonly kind: 'map'; readonly fields: readonly ShapeField[] }
  | { readonly kind: 'list'; readonly of: BodyShape }
  | {
      readonly kind: 'scalar';
      readonly type: 'text' | 'number' | 'boolean';
      readonly example?: string | number | boolean | undefined;
      readonly oneOf?: readonly (string | number | boolean)[] | undefined;
      readonly description?: string | undefined;
      readonly maxLength?: number | undefined;
    };

export interface ShapeField {
  readonly name: string;
  readonly required: boolean;
  readonly shape: BodyShape;
}

export type Scalar = Extract<BodyShape, { kind: 'scalar' }>;

const DEPTH_MAX = 12;
const FIELDS_MAX = 200;

/** The shape of a sample: what it has is taken for needed. */
export const shapeOfSample = (value: unknown, deep = 0): BodyShape => {
  const isDeep = deep >= DEPTH_MAX;
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    return { kind: 'list', of: items.length === 0 || isDeep ? TEXT_SHAPE : shapeOfSample(items[0], deep + 1) };
  }
  if (typeof value === 'object' && value !== null) {
    const entries = isDeep ? [] : Object.entries(value).slice(0, FIELDS_MAX);
    const fields = entries.map(([name, inner]) => ({ name, required: true, shape: shapeOfSample(inner, deep + 1) }));
    return { kind: 'map', fields };
  }
  if (typeof value === 'string') return { kind: 'scalar', type: 'text', example: value };
  if (typeof value !== 'number' && typeof value !== 'boolean') return TEXT_SHAPE;
  return { kind: 'scalar', type: typeof value as 'number' | 'boolean', example: value };
};

export const TEXT_SHAPE: BodyShape = { kind: 'scalar', type: 'text' };

/** A value of a shape: its examples, else something that is clearly one. */
export const sampleOfShape = (shape: BodyShape): unknown => {
  switch (shape.kind) {
    case 'map':
      return Object.fromEntries(shape.fields.map(({ name, shape: inner }) => [name, sampleOfShape(inner)]));
    case 'list':
      return [sampleOfShape(shape.of)];
    case 'scalar':
      return (
        shape.example ?? shape.oneOf?.[0] ?? (shape.type === 'number' ? 1 : shape.type === 'boolean' ? true : 'example')
      );
  }
};

export interface Leaf {
  /** Names from the outside in; a list's name has `[]` behind it. */
  readonly path: readonly string[];
  readonly shape: Scalar;
}

export const leavesOf = (shape: BodyShape, path: readonly string[] = []): readonly Leaf[] => {
  switch (shape.kind) {
    case 'scalar':
      return [{ path, shape }];
    case 'list':
      return leavesOf(shape.of, [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`]);
    case 'map':
      return shape.fields.flatMap(({ name, shape: inner }) => leavesOf(inner, [...path, name]));
  }
};

/** `receiverPostCode2` → receiver, post, code, 2. */
export const wordsIn = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([A-Za-z])(\d)/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** `label url, label` → the words of each. */
export const phrasesOf = (text: string): readonly (readonly string[])[] =>
  text.split(', ').map((phrase) => phrase.split(' '));
