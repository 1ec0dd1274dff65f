/** Requests that nobody would send who means well, made at random out of good ones. */
import { orderTo } from '../order.ts';

type Random = () => number;

/** Values that stand nowhere in a good request. */
export const NASTY: readonly unknown[] = [
  null,
  '',
  ' ',
  '0',
  'NO',
  'x'.repeat(30_000),
  '\u0000',
  '\uD800',
  '\u202E\uFEFF👩🏽‍🚒',
  '2026-02-30',
  '2026-03-29 02:30:00',
  "'; drop table consignments; --",
  '${credentials.token}',
  '../../../../etc/passwd',
  '{{7*7}}',
  '(a+)+$',
  'a'.repeat(5_000) + '!',
  0,
  -1,
  1e308,
  -0,
  2 ** 53,
  0.1,
  true,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { toJSON: 'x', toString: 1, valueOf: null, hasOwnProperty: 'x' },
  Array.from({ length: 2_000 }, () => ({})),
];

const pick = <Value>(values: readonly Value[], random: Random): Value => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined && values.length === 0) throw new Error('nothing to pick from');
  return value as Value;
};

/** Puts something else in one place of it. */
const broken = (value: unknown, random: Random): unknown => {
  if (typeof value !== 'object' || value === null || random() < 0.1) return pick(NASTY, random);
  const keys = Object.keys(value);
  const key = pick(keys.length === 0 ? ['x'] : keys, random);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? broken(item, random) : item));
  const chance = random();
  if (chance < 0.1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  if (chance < 0.2)
    return { ...value, [pick(['constructor', 'prototype', 'toString', '', '💥', key.toUpperCase()], random)]: value };
  return { ...value, [key]: broken((value as Record<string, unknown>)[key], random) };
};

const STATUS = {
  type: 'Tracking',
  value: 'T-1',
  carrierStatusCode: 'IN_TRANSIT',
  statusReceivedAt: '2026-05-01 10:00:00',
  eventTimezone: 'Europe/Berlin',
  extraInfo: { comments: 'x', pod: [{ type: 'photo', url: 'https://carrier.example/pod' }] },
  installationItems: [{ itemReferenceNumber: 'PKG-1', level: 'SKU', targetIds: ['1'], status: 'x' }],
};

const EVENTS = { events: [{ order: '1', code: 'MOV', at: '01.05.2026 10:00', zone: 'UTC' }], challenge: 'x' };

const goodBody = (number: number, random: Random): unknown =>
  pick(
    [
      () => orderTo('c02', `F-${number}`, 1 + (number % 3)),
      () => ({ referenceNumbers: [`F-${number}`], reason: 'x' }),
      () => ({ url: 'https://shop.example/hook', orderTypes: ['FORWARD'] }),
      () => STATUS,
      () => [STATUS, { ...STATUS, value: 'T-2' }],
      () => EVENTS,
      () => ({ code: `fuzz-${number}`, name: 'Example', environment: 'production' }),
      () => ({ shipper: 'shop', carrier: 'c02', environment: 'sandbox', credentials: { token: 'x' }, settings: {} }),
    ],
    random,
  )();

const SYNTAX: readonly ((text: string, random: Random) => string | Uint8Array)[] = [
  (text) => text.slice(0, text.length / 2),
  (text) => text.replace('{', '{"__proto__":{"polluted":true},'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"polluted":true}},'),
  (text) => `${text}${text}`,
  (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x80])]),
  () => `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  () => `[${'1'.repeat(100_000)}]`,
  () => '',
  () => '"just text"',
  () => '1e999999',
  (text) => text.replaceAll('"', "'"),
  (text) => `\uFEFF${text}`,
  (_text, random) => Buffer.from(Array.from({ length: 500 }, () => Math.floor(random() * 256))),
  (text) => JSON.stringify(JSON.parse(text)).replaceAll(/"(\w+)":/g, '"$1":1,"$1":'),
];

const TYPES = ['application/json', 'application/json', 'application/json', 'text/plain', 'application/xml', 'x', ''];
const PARTS = [..."x c02 hook open shop F-1 ..%2F.. %00 %F0%9F%92%A5 '-- 1 -1 __proto__ %".split(' '), 'x'.repeat(390)];
const QUERIES = [
  '',
  ...'limit=-1 limit=1e9 limit=NaN cursor=x cursor=%00 __proto__=1 x[]=1&x[]=2 referenceNumber=%00'.split(' '),
  'from=9999-99-99',
  `q=${'x'.repeat(3_000)}`,
];

export interface Operation {
  readonly method: string;
  /** As in the OpenAPI document. */
  readonly path: string;
}

export interface Nasty {
  readonly method: string;
  readonly url: string;
  readonly body: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export const nastyRequest = ({ method, path }: Operation, number: number, random: Random): Nasty => {
  const filled = path.replaceAll(/\{[^}]+\}/g, () => pick(PARTS, random));
  const query = random() < 0.3 ? `?${pick(QUERIES, random)}` : '';
  const isRead = method === 'GET' || method === 'HEAD';
  let good = /\/webhook\b/.test(path) && random() < 0.5 ? EVENTS : goodBody(number, random);
  for (let times = Math.floor(random() * 4); times > 0; times -= 1) good = broken(good, random);
  const text = JSON.stringify(good) ?? '';
  const body = isRead ? undefined : random() < 0.3 && text.length > 1 ? pick(SYNTAX, random)(text, random) : text;
  const headers: Record<string, string> = isRead ? {} : { 'content-type': pick(TYPES, random) };
  if (random() < 0.1)
    headers['idempotency-key'] = pick(['k', 'x'.repeat(300), '💥', `k-${number}`].map(encodeURI), random);
  if (random() < 0.1) headers['prefer'] = pick(['respond-async', 'wait=-1', ';;;', 'x'.repeat(5_000)], random);
  if (random() < 0.05) headers['content-encoding'] = pick(['gzip', 'br', 'x'], random);
  if (random() < 0.05) headers['x-signature'] = 'sha256=00';
  return { method, url: `${filled}${query}`, body, headers };
};
