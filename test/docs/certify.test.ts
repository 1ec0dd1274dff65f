import path from 'node:path';
import { expect, it } from 'vitest';
import { Consignment } from '../../src/engine/consignment/consignment.ts';
import { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { PUSH_PARTS } from '../../src/workbench/certify/push-statements.ts';
import { ENDPOINT_PARTS } from '../../src/workbench/certify/statements.ts';
import { PROJECT, read } from '../support/project.ts';

interface Fields {
  readonly properties?: Readonly<Record<string, Fields>>;
  readonly items?: Fields;
  readonly 'x-level'?: string;
}

const LEVELS = { M: 'mandatory', R: 'recommended', O: 'optional' };

const fields = function* (shape: Fields, at = ''): Generator<string> {
  const held = Object.entries(shape.properties ?? {});
  for (const [level, word] of Object.entries(LEVELS)) {
    const names = held.filter(([, inner]) => (inner['x-level'] ?? 'O') === level).map(([name]) => `\`${name}\``);
    if (names.length > 0) yield `- ${at === '' ? '' : `\`${at}\`, `}${word}: ${names.join(', ')}.`;
  }
  for (const [name, inner] of held) yield* fields(inner.items ?? inner, inner.items === undefined ? name : `${name}[]`);
};

const statements = Object.entries({ ...ENDPOINT_PARTS, ...PUSH_PARTS }).map(([place, part]) => {
  const rows = Object.entries(part).map(
    ([id, { says, isAdvice }]) =>
      `| \`${id}\` | ${says.replace('<token>', '&lt;token&gt;')} | ${isAdvice === true ? 'should' : 'must'} |`,
  );
  return [`### ${place}`, '', '| statement | says | level |', '| --- | --- | --- |', ...rows].join('\n');
});

it('docs/certify.md has all fields and statements (npm run docs writes it anew)', async () => {
  const text = read('docs/source/certify.md')
    .replace('{{fields}}', [...fields(Consignment as object)].join('\n'))
    .replace(
      '{{updates}}',
      Object.keys(StatusUpdate.properties)
        .map((name) => `\`${name}\``)
        .join(', '),
    )
    .replace('{{statements}}', statements.join('\n\n'));
  await expect(text).toMatchFileSnapshot(path.join(PROJECT, 'docs/certify.md'));
});
