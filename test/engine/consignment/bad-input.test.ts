/** Issue by issue: each class of bad input at every field of the tables, for the four profiles. */
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../../src/engine/consignment/levels.ts';
import { createSchema } from '../../../src/engine/consignment/order.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import { FIELDS, wholeOrder } from '../../platform/api/fields.ts';
import { put } from './orders.ts';

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly 'x-level'?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

const nodeAt = (path: string, profile: (typeof PROFILES)[number]): Node => {
  let node: Node | undefined = createSchema(profile);
  for (const key of path.replaceAll(/\[\d+\]/g, '.[]').split('.'))
    node = key === '[]' ? node?.items : node?.properties?.[key];
  if (node === undefined) throw new Error(`the schema has no ${path}`);
  return node;
};

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  string: 5,
  number: '2',
  integer: '2',
  boolean: 'yes',
  array: {},
  object: [],
};
const WRONG_FORMAT: Readonly<Record<string, readonly unknown[]>> = {
  date: ['2026-02-30', '2026-13-01', '01.05.2026'],
  'local-date-time': ['2026-02-30 10:00:00', '2026-05-01T10:00:00', '2026-05-01 25:00:00'],
  'time-zone': ['Mars/Olympus', 'GMT+25', ' '],
  country: ['XX', 'Germany', 'de'],
  'http-url': ['javascript:1', 'no url'],
};

/** What must be refused at such a field, by the name of its class. */
const badFor = (node: Node): readonly (readonly [string, unknown])[] => [
  ['null', null],
  ['another type', OTHER_TYPE[node.type ?? 'string']],
  ['deep nesting', deep(30)],
  ...(node.type === 'number' || node.type === 'integer'
    ? ([
        ['number as text', '12'],
        ['NaN-like', 'NaN'],
        ['infinite', Number.POSITIVE_INFINITY],
      ] as const)
    : []),
  ...(node.type === 'integer' ? ([['a fraction', 1.5]] as const) : []),
  ...(node.enum === undefined
    ? []
    : ([
        ['wrong enum', 'NOPE'],
        ['empty', ''],
      ] as const)),
  ...(node.format === undefined ? [] : ([['empty', '']] as const)),
  ...(WRONG_FORMAT[node.format ?? ''] ?? []).map((value) => [`no ${node.format}`, value] as const),
  ...(node.maxLength === undefined ? [] : ([['too long', 'x'.repeat(node.maxLength + 1)]] as const)),
  ...(node.maxItems === undefined
    ? []
    : ([['too many', Array.from({ length: node.maxItems + 1 }, () => 'x')]] as const)),
  ...(node['x-level'] === 'M' && node.type === 'string'
    ? ([
        ['blank', ' '],
        ['missing', undefined],
      ] as const)
    : []),
  ...(node['x-level'] === 'M' && node.type !== 'string' ? ([['missing', undefined]] as const) : []),
  ...(node.type === 'string' && node.enum === undefined
    ? ([
        ['NUL', 'a\u0000b'],
        ['half a surrogate pair', 'a\uD83Db'],
      ] as const)
    : []),
];

describe.each(PROFILES)('an order of profile %s', (profile) => {
  it('is right as a whole', () => {
    expect(readOrder(wholeOrder(profile, 'R'), profile)).toMatchObject({ ok: true });
  });

  it.each(FIELDS)('names %s for whatever is wrong there', (path, _levels, _right, wrong) => {
    for (const [name, value] of [['wrong by the table', wrong], ...badFor(nodeAt(path, profile))] as const) {
      const order = wholeOrder(profile, 'R');
      put(order, path, value);
      const read = readOrder(order, profile);
      const named = read.ok ? [] : read.issues.filter((issue) => issue.path.startsWith(path));
      expect(named.length, `${name}: ${JSON.stringify(read).slice(0, 500)}`).toBeGreaterThan(0);
    }
  });
});
