/** A mapping of what the carrier is sent, as text. */
import type { Matched } from './match.ts';
import type { BodyFormat } from './sample.ts';
import { type BodyShape, exampleOf, type ShapeField } from './shape.ts';
import { elementsOf, siteKey } from './sites.ts';
import type { Inside } from './vocabulary.ts';

interface Writing {
  readonly path: readonly (string | number)[];
  readonly inside: Inside;
  readonly indent: string;
}

/** Marks what nobody has confirmed: `waybill lint` refuses it until the comment is gone. */
export const unconfirmed = (why: string): string =>
  `/* unconfirmed: ${why.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */`;

/** `isOrder`: it is made of the consignment. Fields that need not be there and that nothing is like are left out, and told in a comment. */
export const writeMapping = (
  body: BodyShape,
  format: BodyFormat,
  { find }: Pick<Matched, 'find'>,
  isOrder = true,
): string => {
  const left: string[] = [];

  const write = (shape: BodyShape, writing: Writing): string => {
    const name = String(writing.path.findLast((one) => typeof one === 'string' && one !== '*') ?? '');
    const ours = elementsOf(name, shape, format, writing.inside);
    if (ours !== undefined) {
      const list = ours.kind === 'package' ? 'itemList' : 'skuList';
      const path = [...writing.path, '*'];
      const element = write(merged(ours.elements), { ...writing, path, inside: ours.kind });
      return `[${list}${element.includes('][$i]') ? '#$i' : ''}.${element}]`;
    }
    switch (shape.kind) {
      case 'map':
        return writeMap(shape.fields, writing);
      case 'list':
        return `[${shape.of.map((one, at) => write(one, { ...writing, path: [...writing.path, at] })).join(', ')}]`;
      case 'scalar': {
        if (shape.expression !== undefined)
          return `${shape.isGuessed === true ? `${unconfirmed('by its name; no sample shows it')} ` : ''}${shape.expression}`;
        const found = find(siteKey(writing.path));
        if (found !== undefined)
          return `${found.why === undefined ? '' : `${unconfirmed(found.why)} `}${found.expression}`;
        return `${unconfirmed('nothing in a consignment is like it')} ${JSON.stringify(exampleOf(shape))}`;
      }
    }
  };

  const writeMap = (fields: readonly ShapeField[], writing: Writing): string => {
    const indent = `${writing.indent}  `;
    const lines = fields.flatMap(({ name, required, shape }): string[] => {
      const path = [...writing.path, name];
      if (shape.kind === 'scalar' && !required && shape.expression === undefined && find(siteKey(path)) === undefined) {
        left.push(path.filter((one) => one !== '*').join('.'));
        return [];
      }
      // What declares a namespace is nobody's value.
      const value =
        /^@(?:xmlns|xsi:)/.test(name) && shape.kind === 'scalar'
          ? JSON.stringify(exampleOf(shape))
          : write(shape, { ...writing, path, indent });
      return value === '{}' && !required ? [] : [`${indent}${JSON.stringify(name)}: ${value}`];
    });
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${writing.indent}}`;
  };

  // Of a call about a shipment that is there, no list is that of its packages.
  const text = write(body, { path: [], inside: isOrder ? 'head' : 'sku', indent: '' });
  const note = left.length === 0 ? '' : `/* Not mapped, nothing is like them: ${left.slice(0, 60).join(', ')} */\n`;
  if (!isOrder) return `${note}${text}\n`;
  return `${note}consignment.${body.kind === 'map' ? text : `(${text})`}\n`;
};

/** One element with the fields of all. */
const merged = (elements: readonly BodyShape[]): BodyShape => {
  const fields = new Map<string, ShapeField>();
  for (const one of elements)
    if (one.kind === 'map') for (const field of one.fields) if (!fields.has(field.name)) fields.set(field.name, field);
  return { kind: 'map', fields: [...fields.values()] };
};
