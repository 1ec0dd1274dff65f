import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { folderWith, PING, root, waybill } from './home.ts';

test('the schemas are written as files, and are those of the repository', async () => {
  const folder = folderWith({});
  const { code } = await waybill(['schemas', '--write', folder]);
  expect(code).toBe(0);
  const names = readdirSync(folder);
  expect(names).toEqual(
    ['carrier', 'case', 'label', 'policy', 'tariff', 'transit'].map((name) => `${name}.schema.json`),
  );
  for (const name of names) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(root, 'schemas', name), 'utf8'));
  }
});

test('the schema of a case knows a case from what is none', async () => {
  const { case: schema } = JSON.parse((await waybill(['schemas'])).out) as { case: object };
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  const check = ajv.compile(schema);
  expect(check(parse(PING))).toBe(true);
  expect(check(parse(PING.replace('do: probe', 'do: prob')))).toBe(false);
  expect(check(parse(PING.replace('exchanges', 'exchange')))).toBe(false);
});

test('every key of a case says what it is for, and all but sections show a value that may stand there', async () => {
  const { case: schema } = JSON.parse((await waybill(['schemas'])).out) as { case: object };
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  const wrong: string[] = [];
  const walk = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties') for (const [name, of] of Object.entries(value as object)) look(of, `${at}.${name}`);
      if (key !== 'examples') walk(value, `${at}/${key}`);
    }
  };
  const look = (of: { description?: string; examples?: unknown[]; properties?: object }, at: string): void => {
    if (of.description === undefined) wrong.push(`${at} has no description`);
    if (of.properties === undefined && of.examples === undefined && at !== '.flow') wrong.push(`${at} has no example`);
    const check = ajv.compile(of);
    for (const example of of.examples ?? []) if (!check(example)) wrong.push(`${at} cannot be its example`);
  };
  walk(schema, '');
  expect(wrong).toEqual([]);
});
