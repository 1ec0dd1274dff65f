import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { isMap } from '../../../src/engine/value.ts';
import { bodyOf as bytesOfCase } from '../../../src/workbench/cases/bodies.ts';
import type { Case } from '../../../src/workbench/cases/schema.ts';
import { runPayload } from '../../../src/workbench/replay/run-payload.ts';
import { NOW } from '../../../src/workbench/scaffold/write-case.ts';
import { root } from '../../cli/home.ts';
import { begun, shipped } from './begun.ts';

type Fields = Readonly<Record<string, unknown>>;
/** The create of a bundled carrier's case as somebody would keep it: an HTTP message and its answer. */
const sampleOf = (code: string) => {
  const beside = (name: string): Buffer => readFileSync(`${root}/fixtures/${code}/${name}`);
  const { given = {}, flow } = parse(beside('one-package.yaml').toString()) as Case;
  const exchanges = flow[0]?.exchanges ?? [];
  const found = exchanges.findLast(
    ({ request }) => request !== 'same' && 'post' in request && bytesOfCase(request, beside) !== undefined,
  );
  if (found === undefined || found.request === 'same' || typeof found.response === 'string') throw new Error(code);
  const { request, response } = found;
  const sent = bytesOfCase(request, beside);
  const answered = bytesOfCase(response, beside);
  const headers = Object.entries(request.headers ?? {})
    .map(([name, value]) => `${name}: ${value ?? ''}\n`)
    .join('');
  const text = `POST ${request.post ?? ''}\n${headers}Content-Type: ${sent?.contentType ?? ''}\n\n${sent?.bytes.toString() ?? ''}\n\nHTTP/1.1 ${response.status} OK\nContent-Type: ${answered?.contentType ?? 'text/plain'}\n\n${answered?.bytes.toString() ?? ''}\n`;
  const consignment = parse(
    readFileSync(`${root}/fixtures/_consignments/${String(given.consignment)}.yaml`, 'utf8'),
  ) as Fields;
  return {
    text,
    url: request.post ?? '',
    consignment: { ...consignment, ...(given.change as Fields) },
    service: given.service,
  };
};

const OTHER: Fields = { CompanyName: 'Acme Other Company Ltd', Name: 'Ann Other', ContactPerson: 'Ann Other' };
/** Somebody else's consignment between the same places: what is the sample's own would be wrong there. */
const another = (consignment: Fields): Fields => {
  const change = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => change(name, one));
    if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, change(key, held)]));
    const [, end, field = ''] = /^(origin|destination)(.*)$/.exec(name) ?? [];
    if (end !== undefined && field in OTHER) return `${String(OTHER[field])} ${end}`;
    if (/^(?:reference|order|consignment|itemReference)(?:Id|Number)$/.test(name)) return `${String(value)}9`;
    if (/AddressLine|City$|itemName|skuItemName|Instructions/.test(name)) return `${String(value)} too`;
    if (name.endsWith('Email')) return `other-${String(value)}`;
    if (name.endsWith('ContactNumber'))
      return String(value).replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
    if (/^(?:itemWeight|totalWeight|skuWeight)$/.test(name)) return Number(value) + 1;
    if (/^item(?:Length|Width|Height)$/.test(name)) return Number(value) + 2;
    if (name === 'shippingDateTime') return '2026-05-05 10:00:00';
    return value;
  };
  return change('', consignment) as Fields;
};

const leavesOf = (value: unknown, path = ''): [string, unknown][] =>
  Array.isArray(value)
    ? value.flatMap((one, at) => leavesOf(one, `${path}/${at}`))
    : isMap(value)
      ? Object.entries(value).flatMap(([key, held]) => leavesOf(held, `${path}/${key}`))
      : [[path, value]];

const valuesOf = ({ credentials, settings }: Carrier): ReadonlySet<string> =>
  new Set(
    [credentials, settings].flatMap((fields) =>
      Object.values(fields).map(({ example, default: held }: { example?: unknown; default?: unknown }) =>
        String(example ?? held),
      ),
    ),
  );

const requestFor = async (carrier: Carrier, consignment: Fields, service: string | undefined) => {
  const payload = {
    kind: 'consignment',
    consignment,
    place: { file: 'x', line: 1, column: 1 },
    carrier: carrier.code,
  } as const;
  const seen = await runPayload(payload, carrier, { nowMs: Date.parse(NOW), service });
  const requests = seen.flatMap((one) => one.requests);
  return requests.findLast(({ body }) => isMap(body))?.body;
};

const measure = async (code: string) => {
  const { text, consignment, service } = sampleOf(code);
  const { carrier, mapping, marks, problems } = await begun({ 'create.http': text });
  const bundled = loadCarrier(code, { home: shipped, shipped }).carrier;
  if (bundled === undefined) throw new Error(`${code} does not load`);
  const other = another(consignment);
  const wanted = leavesOf(await requestFor(bundled, other, service));
  const got = new Map(leavesOf(await requestFor(carrier, other, 'Standard')));
  // What stands for a value of the account is the account's.
  const [theirs, ours] = [valuesOf(bundled), valuesOf(carrier)];
  const isSame = (one: string, seen: string): boolean => one === seen || (theirs.has(one) && ours.has(seen));
  const wrong = wanted.filter(([path, value]) => !isSame(String(value), String(got.get(path))));
  const isMarked = ([path]: [string, unknown]): boolean => {
    const name = path.split('/').findLast((one) => !/^\d+$/.test(one)) ?? '';
    return mapping
      .split('\n')
      .some((line) => line.includes('unconfirmed') && new RegExp(`"(?:[\\w-]+:)?${name}":`).test(line));
  };
  return {
    fields: wanted.length,
    wrong: wrong.length,
    unmarked: wrong.filter((one) => !isMarked(one)),
    marks,
    problems: problems,
  };
};

const CARRIERS = ['sendle', 'landmark', 'aramex', 'royal_mail', 'ups', 'fedex', 'seko', 'teleship'];

test('of the samples of eight carriers most fields are right for another consignment, too, and what is wrong is marked', async () => {
  const rows: string[] = [];
  for (const code of CARRIERS) {
    const { fields, wrong, unmarked, marks, problems } = await measure(code);
    const percent = (count: number): string => `${((100 * count) / fields).toFixed(0)} %`;
    rows.push(
      `${code}: ${fields} fields, ${percent(fields - wrong)} right, ${percent(unmarked.length)} wrong without a mark, ${marks} marks`,
    );
    expect.soft(problems, `${code}: its case`).toEqual([]);
    expect.soft((fields - wrong) / fields, `${code}: right`).toBeGreaterThanOrEqual(0.8);
    expect
      .soft(unmarked.length / fields, `${code}: ${JSON.stringify(unmarked)} without a mark`)
      .toBeLessThanOrEqual(0.03);
  }
  console.info(rows.join('\n'));
});
