/** What a body of the carrier's looks like, whether a document describes it or a sample shows it. */
import { isMap } from '../../engine/value.ts';

export type BodyShape =
  /** `isOpen`: it may have others. */
  | { readonly kind: 'map'; readonly fields: readonly ShapeField[]; readonly isOpen?: boolean }
  /** `of`: each element that a sample shows, else one that a document describes. */
  | { readonly kind: 'list'; readonly of: readonly BodyShape[] }
  | Scalar;

export interface Scalar {
  readonly kind: 'scalar';
  readonly type: 'text' | 'number' | 'boolean';
  /** null: the sample says so. */
  readonly example?: string | number | boolean | null | undefined;
  readonly oneOf?: readonly (string | number | boolean)[] | undefined;
  readonly description?: string | undefined;
  readonly maxLength?: number | undefined;
  /** What yields it, where that is known: a value of the account. */
  readonly expression?: string;
  /** By its name alone: no sample shows a value. */
  readonly isGuessed?: boolean;
}

export interface ShapeField {
  readonly name: string;
  readonly required: boolean;
  /** By the document, where what it shows is taken for needed, too. */
  readonly isDemanded?: boolean;
  readonly shape: BodyShape;
}

/** The shape of a sample: what it has is taken for needed. */
export const shapeOfSample = (value: unknown): BodyShape => {
  if (Array.isArray(value)) return { kind: 'list', of: value.map(shapeOfSample) };
  if (isMap(value)) {
    const fields = Object.entries(value).map(([name, held]) => ({ name, required: true, shape: shapeOfSample(held) }));
    return { kind: 'map', fields };
  }
  if (value === null || typeof value === 'string') return { kind: 'scalar', type: 'text', example: value };
  if (typeof value !== 'number' && typeof value !== 'boolean') return TEXT_SHAPE;
  return { kind: 'scalar', type: typeof value as 'number' | 'boolean', example: value };
};

export const TEXT_SHAPE: Scalar = { kind: 'scalar', type: 'text' };

/** What a scalar is shown as, else something that is clearly an example. */
export const exampleOf = ({ example, oneOf, type }: Scalar): unknown =>
  example !== undefined ? example : (oneOf?.[0] ?? (type === 'number' ? 1 : type === 'boolean' ? true : 'example'));

/** A value of a shape: of a sample the sample itself. */
export const sampleOfShape = (shape: BodyShape): unknown => {
  switch (shape.kind) {
    case 'map':
      return Object.fromEntries(shape.fields.map(({ name, shape: inner }) => [name, sampleOfShape(inner)]));
    case 'list':
      return shape.of.map(sampleOfShape);
    case 'scalar':
      return exampleOf(shape);
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
      return shape.of.flatMap((one) => leavesOf(one, [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`]));
    case 'map':
      return shape.fields.flatMap(({ name, shape: inner }) => leavesOf(inner, [...path, name]));
  }
};

/** `ns:receiverPostCode2` → receiver, post, code, 2. */
export const wordsIn = (name: string): readonly string[] =>
  name
    .replace(/^@?\w+:(?=\w+$)/, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([A-Za-z])(\d)/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** Of a word in the plural; what only ends like one ends alike wherever it is compared. */
export const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word);

/** `label url, label` → the words of each. */
export const phrasesOf = (text: string): readonly (readonly string[])[] =>
  text.split(', ').map((phrase) => phrase.split(' '));
