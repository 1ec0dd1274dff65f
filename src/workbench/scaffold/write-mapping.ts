/** The mapping of a request: every field that is needed, each as a suggestion that somebody has to confirm. */
import type { ShapeField, Scalar, BodyShape } from './shape.ts';
import { listKindOf, suggest } from './suggest.ts';
import type { Inside } from './vocabulary.ts';

interface Writing {
  readonly path: readonly string[];
  readonly inside: Inside;
  readonly indent: string;
  /** Paths of fields that need not be there and that nothing is like. */
  readonly left: string[];
}

/** A `.jsonata` file. */
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
