import path from 'node:path';
import { expect, it } from 'vitest';
import { AdditionalInformation, PackageInformation, SkuInformation } from '../../src/engine/consignment/additional.ts';
import { TRANSLATION } from '../../src/engine/consignment/translation.ts';
import { VAS_CATALOGUE } from '../../src/engine/consignment/vas.ts';
import { FORMATS } from '../../src/engine/validate.ts';
import { PROJECT, read } from '../support/project.ts';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly 'x-must'?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly items?: Field;
}

const rangeOf = ({ minimum, maximum, exclusiveMinimum }: Field): string =>
  exclusiveMinimum === undefined
    ? maximum === undefined
      ? minimum === undefined
        ? ''
        : `, ${minimum} or more`
      : `, ${minimum} to ${maximum}`
    : `, more than ${exclusiveMinimum}`;

/** What a value may be, as a shipper would ask. */
const kindOf = (field: Field): string => {
  if (field.enum !== undefined) return field.enum.map((word) => `\`${word}\``).join(' ');
  if (field.format !== undefined) return FORMATS[field.format]!.description.replace(/^an? /, '');
  if (field['x-must'] !== undefined) return `text: ${field['x-must'].replace(/^be /, '')}`;
  switch (field.type) {
    case 'string':
      return `text, up to ${field.maxLength} characters`;
    case 'boolean':
      return '`true` or `false`';
    case 'array':
      return `list of up to ${field.maxItems} maps`;
    case 'object':
      return 'map';
    default:
      return `${field.type === 'integer' ? 'whole number' : 'number'}${rangeOf(field)}`;
  }
};

const tableOf = (shape: Field, place: string): string => {
  const under = `consignmentDetails.${place}additionalInformation.`;
  const rowsOf = (of: Field, at: string): string[] =>
    Object.entries(of.properties ?? {}).flatMap(([name, field]) => {
      const to = TRANSLATION.find(({ from }) => from === `${under}${at}${name}`)?.to;
      const needed = at !== '' && of.required?.includes(name) === true ? ' **Needed.**' : '';
      return [
        `| \`${at}${name}\` | ${to === undefined ? '' : `\`${to}\``} | ${kindOf(field)} | ${field.description ?? ''}${needed} |`,
        ...rowsOf(field.items ?? field, `${at}${name}${field.items === undefined ? '' : '[]'}.`),
      ];
    });
  return ['| field | in mappings | values | meaning |', '| --- | --- | --- | --- |', ...rowsOf(shape, '')].join('\n');
};

const services = Object.entries(VAS_CATALOGUE).map(
  ([code, { description, level = 'either', requires = [] }]) =>
    `| \`${code}\` | ${description} | ${level} | ${requires.map((name) => `\`${name}\``).join(' ')} |`,
);

it('docs/fields.md has every field and every value-added service (npm run docs writes it anew)', async () => {
  const text = read('docs/source/fields.md')
    .replace('{{consignment}}', tableOf(AdditionalInformation as object, ''))
    .replace('{{packages}}', tableOf(PackageInformation as object, 'packageDetails[].'))
    .replace('{{skus}}', tableOf(SkuInformation as object, 'skuDetails[].'))
    .replace(
      '{{vas}}',
      ['| code | meaning | level | parameters |', '| --- | --- | --- | --- |', ...services].join('\n'),
    );
  await expect(text).toMatchFileSnapshot(path.join(PROJECT, 'docs/fields.md'));
});
