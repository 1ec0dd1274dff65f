/** One trace from the shipper's request over another process's queue and the carrier to the webhook. */
import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { PROJECT } from '../support/project.ts';
import { until } from '../support/until.ts';
import { type Listening, listenLocally, textOf } from './carrier.ts';
import { flowWorld, plain } from './world.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const flow = flowWorld({ isServing: false });
const texts: string[] = [];
let collector: Listening;
let webhook: Listening;
let received: string | undefined;

const spans = (): readonly Span[] =>
  texts.flatMap((text) =>
    JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap((one) => one.spans),
    ),
  );
const named = (name: string) => spans().find((span) => span.traceId === TRACE && span.name === name);
const attributeOf = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

const create = async (reference: string, headers: Readonly<Record<string, string>>) =>
  await fetch(`${flow.server.url}/v2/consignments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${flow.shop}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(orderFor(plain, reference, 1)),
  });

beforeAll(async () => {
  collector = await listenLocally(async (request, response) => {
    expect(request.url).toBe('/v1/traces');
    texts.push(await textOf(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  webhook = await listenLocally(async (request, response) => {
    received ??= request.headers['traceparent'] as string;
    await textOf(request);
    response.end();
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WORKER_PORT: 'off' };
  await flow.serve({ role: 'worker', env });
  await flow.spawn({ role: 'api', env });
  await flow.openShop();
  await flow.asShop('POST', '/v2/webhooks', { url: webhook.url, orderTypes: ['FORWARD'] });
});
afterAll(async () => {
  await collector.close();
  await webhook.close();
});

it('a create is one trace over both processes: request, dispatch, call of the carrier, webhook', async () => {
  const reply = await create('TRACED', { traceparent: `00-${TRACE}-${PARENT}-01` });
  expect({ status: reply.status, trace: reply.headers.get('x-trace-id') }).toEqual({ status: 200, trace: TRACE });
  await until(
    'all of it is told',
    () => named('webhook') !== undefined && named('POST /v2/consignments') !== undefined,
  );
  const [request, dispatch, call, sent] = ['POST /v2/consignments', 'dispatch create', 'POST plain', 'webhook'].map(
    named,
  );
  expect(request?.parentSpanId).toBe(PARENT);
  expect(dispatch?.parentSpanId).toBe(request?.spanId);
  expect(call?.parentSpanId).toBe(dispatch?.spanId);
  expect(sent?.parentSpanId).toBe(dispatch?.spanId);
  expect(received).toBe(`00-${TRACE}-${sent?.spanId}-01`);
  expect(attributeOf(request, 'http.response.status_code')).toBe(200);
  expect(attributeOf(dispatch, 'waybill.outcome')).toBe('done');
  expect(attributeOf(call, 'server.address')).toBe('127.0.0.1');
  expect(attributeOf(sent, 'waybill.outcome')).toBe('delivered');
});

it('what is not sampled is not sent, and a trace that none is begun anew', async () => {
  const unsampled = TRACE.replace('4', '5');
  await create('UNSAMPLED', { traceparent: `00-${unsampled}-${PARENT}-00` });
  const reply = await create('BROKEN', { traceparent: '00-zz-1-01' });
  const own = reply.headers.get('x-trace-id');
  expect(own).toMatch(/^[0-9a-f]{32}$/);
  await until('the later one is told', () => spans().some(({ traceId }) => traceId === own));
  expect(spans().filter(({ traceId }) => traceId === unsampled)).toEqual([]);
});

it('a stranger begins no trace, and takes part in none', async () => {
  const theirs = TRACE.replace('4', '6');
  const reply = await create('STRANGER', { authorization: 'Bearer nobody', traceparent: `00-${theirs}-${PARENT}-01` });
  expect([reply.status, reply.headers.get('x-trace-id')]).toEqual([401, null]);
  const own = (await create('AFTER-STRANGER', {})).headers.get('x-trace-id');
  await until('a later one is told', () => spans().some(({ traceId }) => traceId === own));
  expect(spans().filter(({ traceId }) => traceId === theirs)).toEqual([]);
});

it('nothing secret and nobody’s name is in what is told', () => {
  const told = texts.join('\n');
  expect(told).toContain('waybill.dispatch');
  for (const secret of ['carrier-token-1', flow.shop, 'Max', 'TRACED', '/consignments"'])
    expect(told.replaceAll('/v2/consignments"', ''), secret).not.toContain(secret);
});

it('OpenTelemetry is loaded by one module, and only where an endpoint is configured', async () => {
  for (const file of globSync('src/**/*.{ts,js}', { cwd: PROJECT })) {
    const text = await readFile(`${PROJECT}/${file}`, 'utf8');
    const isThere = text.includes('@opentelemetry/');
    expect(isThere, file).toBe(file.endsWith('src/platform/processes/traces.ts'));
    expect(text, file).not.toMatch(/from '@opentelemetry\//);
    if (isThere)
      expect(text.indexOf('if (endpoint === undefined) return undefined')).toBeLessThan(text.indexOf('import('));
  }
});
