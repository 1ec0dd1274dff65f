/** What a document says of a request, as a JSON Schema that `lint` holds the mapping to. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Body, Headers } from './sample.ts';
import { type BodyShape, sampleOfShape, TEXT_SHAPE } from './shape.ts';

/** With the names that `request` has; undefined: the sample is not what the document says. */
export const writeSchema = (told: Body, request: Body): string | undefined => {
  const rename = renaming(namespacesOf(told), namespacesOf(request));
  const isXml = told.format === 'xml' || told.format === 'soap';
  const schemaOf = (shape: BodyShape): object => {
    // Where the document goes deeper than was read.
    if (shape === TEXT_SHAPE) return {};
    switch (shape.kind) {
      case 'list': {
        const items = shape.of[0] === undefined ? {} : schemaOf(shape.of[0]);
        return isXml ? { anyOf: [items, { type: 'array', items }] } : { type: 'array', items };
      }
      case 'map': {
        const fields = shape.fields.filter(({ name }) => !name.startsWith('@xmlns'));
        const needed = fields
          .filter(({ required, isDemanded = required }) => isDemanded)
          .map(({ name }) => rename(name));
        const isClosed = shape.isOpen !== true && fields.length === shape.fields.length;
        return {
          type: 'object',
          properties: Object.fromEntries(fields.map(({ name, shape: inner }) => [rename(name), schemaOf(inner)])),
          ...(needed.length === 0 || shape.isOpen === true ? {} : { required: needed }),
          additionalProperties: !isClosed,
        };
      }
      case 'scalar': {
        const { type, oneOf, maxLength } = shape;
        return {
          // XML has texts alone, whatever they are written from.
          ...(isXml ? {} : { type: type === 'text' ? 'string' : type }),
          ...(oneOf === undefined ? {} : { enum: oneOf }),
          ...(maxLength === undefined ? {} : { maxLength }),
        };
      }
    }
  };
  const schema = schemaOf(told.shape);
  const fits = !request.isShown || new Ajv2020({ strict: false }).validate(schema, sampleOfShape(request.shape));
  return fits ? `${JSON.stringify(schema, undefined, 2)}\n` : undefined;
};

/** Prefix → namespace. */
const namespacesOf = ({ soap, shape }: Body): Headers => {
  const [root] = shape.kind === 'map' ? shape.fields : [];
  const declared = (root?.shape.kind === 'map' ? root.shape.fields : []).flatMap(
    ({ name, shape: held }): [string, string][] =>
      name.startsWith('@xmlns') && held.kind === 'scalar'
        ? [[name.replace(/^@xmlns:?/, ''), String(held.example)]]
        : [],
  );
  return { ...Object.fromEntries(declared), ...soap?.namespaces };
};

const renaming =
  (from: Headers, to: Headers) =>
  (name: string): string => {
    const [, prefix = '', local = ''] = /^(?:([\w-]+):)?(.*)$/.exec(name) ?? [];
    const own = Object.entries(to).find(([, uri]) => uri === from[prefix])?.[0];
    return own === undefined || name.startsWith('@') ? name : own === '' ? local : `${own}:${local}`;
  };
