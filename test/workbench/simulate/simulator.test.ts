import { randomUUID } from 'node:crypto';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import type { CaseFiles } from '../../../src/workbench/cases/read.ts';
import { parseBehaviour } from '../../../src/workbench/simulate/behaviour.ts';
import type { Simulator, SimulatorOptions } from '../../../src/workbench/simulate/running.ts';
import { startSimulator } from '../../../src/workbench/simulate/simulator.ts';
import { ROOT } from '../../carriers/bundled.ts';

const PROFILE = `carrier: acme
name: Acme Parcels
environments: { production: { url: 'https://api.acme.example/v1' } }
credentials: { apiKey: { secret: true, example: acme-example-key } }
auth: { apiKey: { header: X-Api-Key, value: '\${credentials.apiKey}' } }
memo: [parcelId, country]
operations:
  create:
    post: /parcels
    idempotency: key
    headers: { Idempotency-Key: '\${idempotencyKey}' }
    body: { json: '{ "reference": consignment.referenceId, "to": consignment.destinationCountry, "items": [consignment.itemList.{ "ref": itemReferenceNumber, "grams": itemWeight * 1000 }] }' }
    result: |
      { "memo": { "parcelId": response.body.id, "country": consignment.destinationCountry },
        "itemsTrackDetails": [response.body.parcels.{ "itemReferenceNumber": ref, "trackingNumber": number, "labelUrl": label }] }
  cancel: { delete: '/parcels/\${shipment.memo.parcelId}', outcomes: [ { status: 409, do: reject, messages: response.body.message } ] }
  track:
    get: '/parcels/\${item.trackingNumber}/events'
    result: '[response.body.events.{ "value": $item.trackingNumber, "carrierStatusCode": code, "statusReceivedAt": at }]'
outcomes: [ { when: response.body.message, do: reject, messages: response.body.message } ]
statuses:
  table: { NEW: Order Created, COLLECTED: Order Picked Up, ON_VAN: Out for Delivery, DONE: Order Delivered }
  webhook:
    auth:
      signature:
        algorithm: hmac-sha256
        key: '\${credentials.apiKey}'
        over: '\${request.headers.\`x-acme-timestamp\`}.\${request.text}'
        timestamp: '\${request.headers.\`x-acme-timestamp\`}'
        header: X-Acme-Signature
    events: '[request.body.{ "value": number, "carrierStatusCode": code, "statusReceivedAt": at }]'
`;
const CREATED = `case: two parcels, cancelled, or refused once they are collected
given: { now: '2026-05-01T09:00:00Z', consignment: three-boxes-de }
flow:
  - do: create
    exchanges:
      - request: { post: 'https://api.acme.example/v1/parcels' }
        response:
          status: 201
          json:
            id: shipment-7
            parcels:
              - { ref: PKG-1, number: ACM100001, label: 'https://files.acme.example/ACM100001.pdf' }
              - { ref: PKG-2, number: ACM100002, label: 'https://files.acme.example/ACM100002.pdf' }
              - { ref: PKG-3, number: ACM100003, label: 'https://files.acme.example/ACM100003.pdf' }
  - do: cancel
    exchanges: [ { request: { delete: 'https://api.acme.example/v1/parcels/shipment-7' }, response: { status: 409, json: { message: It is collected } } } ]
    expect: { outcome: reject, messages: It is collected }
  - do: cancel
    exchanges: [ { request: { delete: 'https://api.acme.example/v1/parcels/shipment-7' }, response: { status: 200, json: { id: shipment-7 } } } ]
`;
const REFUSED = `case: a postcode that does not exist
given: { consignment: three-boxes-de }
flow:
  - do: create
    exchanges: [ { request: { post: 'https://api.acme.example/v1/parcels' }, response: { status: 422, json: { message: The postcode is unknown } } } ]
    expect: { outcome: reject, messages: The postcode is unknown }
`;
const TRACKED = `case: all statuses, asked for and told
given: { now: '2026-05-03T09:00:00Z', shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: ACM100009 } ] } }
flow:
  - do: track
    exchanges:
      - request: { get: 'https://api.acme.example/v1/parcels/ACM100009/events' }
        response:
          status: 200
          json:
            events:
              - { code: NEW, at: '2026-05-02T08:00:00+02:00' }
              - { code: COLLECTED, at: '2026-05-02T09:00:00+02:00' }
              - { code: ON_VAN, at: '2026-05-02T10:00:00+02:00' }
              - { code: DONE, at: '2026-05-02T11:00:00+02:00' }
  - do: webhook
    request: { headers: { X-Acme-Timestamp: '1777798800' }, json: { number: ACM100009, code: COLLECTED, at: '2026-05-02T09:00:00+02:00' }, sign: true }
`;
const SCHEMA = {
  'x-requests': ['POST /parcels'],
  properties: { items: { items: { properties: { grams: { maximum: 31_500 } } } } },
};

const FILES: Readonly<Record<string, string>> = {
  'fixtures/acme/created.yaml': CREATED,
  'fixtures/acme/refused.yaml': REFUSED,
  'fixtures/acme/tracked.yaml': TRACKED,
  'fixtures/acme/parcels.schema.json': JSON.stringify(SCHEMA),
};
const shipped = directoryFiles(ROOT);
const examples = directoryFiles(`${ROOT}/docs/examples`);
const filesOf = (code: string, own: Readonly<Record<string, string>>): CaseFiles => ({
  read: (path) => {
    const text = own[path] ?? (path.startsWith('fixtures/_') ? (shipped.read(path) ?? examples.read(path)) : undefined);
    return text === undefined ? undefined : Buffer.from(text);
  },
  list: (folder) =>
    folder === 'fixtures/_consignments'
      ? ['three-boxes-de.yaml', 'two-boxes.yaml']
      : Object.keys(own).map((path) => path.slice(`fixtures/${code}/`.length)),
  folders: () => [code],
});
const files = filesOf('acme', FILES);

const LINKED = `carrier: linked
name: Linked
environments: { production: { url: 'https://api.linked.example' } }
memo: [master]
operations:
  create:
    steps:
      - id: master
        post: /masters
        body: { json: { reference: '\${consignment.referenceId}' } }
        lookup: { get: /masters, query: { reference: '\${consignment.referenceId}' }, found: 'response.body.masters[0]' }
        undo: { delete: '/masters/\${response.body.id}', outcomes: [ { status: 404, do: succeed } ] }
      - id: piece
        forEach: consignment.itemList
        undo: master
        post: '/masters/\${steps.master.body.id}/pieces'
        body: { json: { piece: '\${item.itemReferenceNumber}' } }
        lookup: { get: /masters, query: { reference: '\${consignment.referenceId}' }, found: 'response.body.masters.pieces[piece = $item.itemReferenceNumber][0]' }
        outcomes: [ { status: 422, do: reject, messages: response.body.why } ]
    result: '{ "memo": { "master": steps.master.body.id }, "itemsTrackDetails": [steps.piece.{ "trackingNumber": body.number }] }'
`;
const [MASTERS, PIECES] = ['https://api.linked.example/masters', 'https://api.linked.example/masters/M-100017/pieces'];
const foundIn = (...pieces: string[]): string =>
  `{ request: { get: '${MASTERS}?reference=REF-1' }, response: { status: 200, json: { masters: [ { id: M-100017, pieces: [ ${pieces.join(', ')} ] } ] } } }`;
const linkedCase = (title: string, exchanges: readonly string[], expected = ''): string =>
  `case: ${title}\ngiven: { consignment: two-boxes }\nflow:\n  - do: create\n    exchanges:\n${exchanges.map((one) => `      - ${one}\n`).join('')}${expected}`;
const MADE = `{ request: { post: '${MASTERS}' }, response: { status: 200, json: { id: M-100017 } } }`;
const LOST = `{ request: { post: '${MASTERS}' }, response: reset, wait: 2s }`;
const PIECE = `{ request: { post: '${PIECES}' }, response: { status: 200, json: { number: LK100001, piece: PKG-1 } } }`;
const SECOND = PIECE.replace('LK100001, piece: PKG-1', 'LK100002, piece: PKG-2');
const LINKED_FILES: Readonly<Record<string, string>> = {
  'fixtures/linked/lost.yaml': linkedCase('the answers to master and second piece are lost', [
    LOST,
    foundIn(),
    PIECE,
    `{ request: { post: '${PIECES}' }, response: reset, wait: 2s }`,
    foundIn('{ number: LK100001, piece: PKG-1 }', '{ number: LK100002, piece: PKG-2 }'),
  ]),
  'fixtures/linked/made.yaml': linkedCase('two pieces', [MADE, PIECE, SECOND]),
  'fixtures/linked/never.yaml': linkedCase('a master that never came', [
    LOST,
    foundIn().replace(/masters: .*/, 'masters: [] } } }'),
    MADE,
    PIECE,
    SECOND,
  ]),
  'fixtures/linked/refused.yaml': linkedCase(
    'the second piece is refused',
    [
      MADE,
      PIECE,
      `{ request: { post: '${PIECES}' }, response: { status: 422, json: { why: too heavy } } }`,
      `{ request: { delete: '${MASTERS}/M-100017' }, response: { status: 204 } }`,
    ],
    '    expect: { outcome: reject, messages: too heavy }\n',
  ),
};

const SOAPY = `carrier: soapy
name: Soapy
environments: { production: { url: 'https://ws.soapy.example/v3' } }
credentials: { password: { secret: true, example: soapy-example-pass } }
time: { zone: Europe/Berlin, formats: ["yyyy-MM-dd'T'HH:mm:ss"] }
fragments:
  ws: { post: '\${environment.url}', body: { soap: { namespaces: { s: 'urn:soapy' }, header: { s:Password: '\${credentials.password}' } } } }
operations:
  create:
    use: ws
    body: { soap: { body: { s:Create: { s:Reference: '\${consignment.referenceId}', s:Item: '\${consignment.itemList.itemReferenceNumber}' } } } }
    idempotency: reference
    outcomes: [ { when: "response.fault.detail.Code = 'S-1090'", do: succeed } ]
    result: |
      { "masterTrackingNumber": $first(response.body.Created.Id, $substringAfter(response.fault.detail.Message, ": ")),
        "itemsTrackDetails": consignment.itemList#$i.{ "trackingNumber": $first($$.response.body.Created.Number[$i], $substringAfter($$.response.fault.detail.Message, ": ")) } }
  label:
    use: ws
    body: { soap: { body: { s:Label: { s:Id: '\${shipment.trackingNumber}', s:Message: "\${$uuid('message')}" } } } }
    outcomes: [ { when: "response.fault.detail.Code = 'S-2001'", do: succeed } ]
    result: 'response.body.Labelled ? { "label": { "content": response.body.Labelled, "format": "PDF" } }'
  track:
    use: ws
    batch: 50
    body: { soap: { body: { s:Track: { s:Number: '\${[items.trackingNumber]}' } } } }
    result: '[response.body.Tracked.Parcel.($n := Number; Event.{ "value": $n, "carrierStatusCode": Code, "carrierSubStatusCode": Why, "statusReceivedAt": At })]'
outcomes:
  - { when: "response.fault.detail.Code = 'S-0001'", do: config_error, messages: response.fault.detail.Message }
  - { when: response.fault, do: reject, messages: "$join([response.fault.detail.Field, response.fault.detail.Message], ': ')" }
statuses: { table: { '20': Order Picked Up, '31': In Transit, '90/A1': { status: Delivery Failed, reason: NOT_HOME }, '90': Delivery Failed } }
`;
const soap = (body: string): string => `soap: { namespaces: { s: 'urn:soapy' }, body: { ${body} } }`;
const good = (body: string): string => `{ status: 200, ${soap(body)} }`;
const fault = (code: string, message: string, field = ''): string =>
  `{ status: 500, ${soap(`soap:Fault: { faultcode: soap:Client, faultstring: Refused, detail: { s:Code: ${code}, s:Message: '${message}'${field} } }`)} }`;
const soapyStep = (name: string, answers: readonly string[], more = ''): string =>
  `  - do: ${name}\n    exchanges:\n${answers.map((one) => `      - { request: { post: 'https://ws.soapy.example/v3' }, response: ${one} }\n`).join('')}${more}`;
const soapyCase = (...steps: readonly string[]): string =>
  `case: one\ngiven: { now: '2026-05-01T08:00:00Z', consignment: two-boxes }\nflow:\n${steps.join('')}`;
const MADE_BY_SOAP = good("s:Created: { s:Id: SH900100, s:Number: ['SP100001', 'SP100002'] }");
const event = (code: string, at: string, why = ''): string => `{ s:Code: '${code}',${why} s:At: '${at}' }`;
const TOLD = [
  event('20', '2026-05-02T10:00:00'),
  event('90', '2026-05-03T10:00:00', ' s:Why: A9,'),
  event('90', '2026-05-03T11:00:00', ' s:Why: A1,'),
];
const SOAPY_FILES: Readonly<Record<string, string>> = {
  'fixtures/soapy/duplicate.yaml': soapyCase(
    soapyStep('create', [fault('S-1091', 'Duplicate reference of another shipment')]),
  ),
  'fixtures/soapy/life.yaml': soapyCase(
    soapyStep('create', [MADE_BY_SOAP]),
    soapyStep('label', [fault('S-2001', 'Not ready')]),
    soapyStep('label', [good('s:Labelled: JVBERi0xLjQKJSVFT0YK')]),
    soapyStep('track', [good('s:Tracked: { s:Parcel: { s:Number: SP100001 } }')]),
    soapyStep('track', [good(`s:Tracked: { s:Parcel: { s:Number: SP100001, s:Event: [ ${TOLD.join(', ')} ] } }`)]),
  ),
  'fixtures/soapy/lost.yaml': soapyCase(soapyStep('create', ['timeout', fault('S-1090', 'Known already: SH900100')])),
  'fixtures/soapy/password.yaml': soapyCase(soapyStep('create', [fault('S-0001', 'Wrong password')])),
  'fixtures/soapy/refused.yaml': soapyCase(
    soapyStep('create', [fault('S-1042', 'There is no such postcode', ', s:Field: Recipient/PostCode')]),
  ),
};

let nowMs = 0;
let simulator: Simulator;
const start = async (options: Partial<SimulatorOptions> = {}): Promise<Simulator> => {
  const { carrier, findings } = loadCarrier('acme', { home: memoryFiles({ 'carriers/acme.yaml': PROFILE }), shipped });
  if (carrier === undefined) throw new Error(JSON.stringify(findings));
  return await startSimulator({ carriers: [carrier], files, nowMs: () => nowMs, ...options });
};
beforeEach(async () => {
  nowMs = Date.parse('2027-01-15T12:00:00Z');
  simulator = await start();
});
afterEach(async () => {
  await simulator.close();
});

/** Decoded JSON of whatever shape. */
// oxlint-disable-next-line typescript/no-explicit-any
const parsed = (text: string): any => JSON.parse(text);

const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(simulator.carriers['acme'] + path, {
    method,
    headers: { 'x-api-key': 'acme-example-key', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? parsed(text) : undefined,
  };
};
const parcels = (count: number, grams = 1_000): object => ({
  reference: 'ORDER-1',
  to: 'DE',
  items: Array.from({ length: count }, (_, at) => ({ ref: `BOX-${at + 1}`, grams })),
});
const create = async (count = 2, headers = {}) => await ask('POST', '/parcels', parcels(count), headers);
const eventsOf = async (number: string) => (await ask('GET', `/parcels/${number}/events`)).body.events;

describe('a create', () => {
  it.each([1, 2, 3, 5])(
    'gives each of %i parcels a number of its own, under the reference of the request',
    async (count) => {
      const { status, body } = await create(count);
      expect([status, body.parcels.map(({ ref }: { ref: string }) => ref)]).toEqual([
        201,
        Array.from({ length: count }, (_, at) => `BOX-${at + 1}`),
      ]);
      const numbers = body.parcels.map(({ number }: { number: string }) => number);
      expect(new Set(numbers).size).toBe(count);
      expect(numbers.every((number: string) => /^ACM\d{6}$/.test(number))).toBe(true);
    },
  );

  it('is answered alike when it comes again with its key, and with others when it does not', async () => {
    const [first, again, other] = [
      await create(2, { 'idempotency-key': 'a' }),
      await create(2, { 'idempotency-key': 'a' }),
      await create(),
    ];
    expect(again.text).toBe(first.text);
    expect(other.body.id).not.toBe(first.body.id);
    expect(simulator.shipments('acme')).toHaveLength(2);
  });

  it('links labels that the simulator has', async () => {
    const [{ label }] = (await create(1)).body.parcels;
    expect(label.startsWith(`${simulator.carriers['acme']}/`)).toBe(true);
    expect(await (await fetch(label, { headers: { 'x-api-key': 'acme-example-key' } })).text()).toMatch(/^%PDF/);
  });

  it.each([
    ['with a wrong key', parcels(1), { 'x-api-key': 'wrong' }, 401, /x-api-key/],
    ['that its schema forbids', parcels(1, 40_000), {}, 400, /items\.0\.grams must be <= 31500, but is 40000/],
    ['that is nothing like one', { what: 'ever' }, {}, 501, /no case of acme shows POST/],
  ])('%s is refused', async (_, body, headers, status, why) => {
    const answer = await ask('POST', '/parcels', body, headers);
    expect([answer.status, simulator.shipments('acme').length]).toEqual([status, 0]);
    expect(answer.text).toMatch(why);
  });
});

describe('a shipment', () => {
  it('is told of as it moves on, at the time of the telling', async () => {
    const [{ number }, { number: other }] = (await create()).body.parcels;
    expect(await eventsOf(number)).toEqual([]);
    await simulator.advance('acme', { number, status: 'Order Picked Up' });
    nowMs += 3_600_000;
    await simulator.advance('acme', { number, status: 'DONE' });
    expect(await eventsOf(number)).toEqual([
      { code: 'COLLECTED', at: '2027-01-15T14:00:00+02:00' },
      { code: 'DONE', at: '2027-01-15T15:00:00+02:00' },
    ]);
    expect(await eventsOf(other)).toEqual([]);
    expect(await ask('GET', '/parcels/ACM999999/events')).toMatchObject({
      status: 404,
      body: { message: 'no shipment is named ACM999999' },
    });
    await expect(simulator.advance('acme', { number, status: 'LOST' })).rejects.toThrow(
      /no case of this carrier tells LOST; they tell Order Created/,
    );
  });

  it('is cancelled, but not once it is under way', async () => {
    const [free, moving] = [(await create()).body, (await create()).body];
    expect(await ask('DELETE', `/parcels/${free.id}`)).toMatchObject({ status: 200, body: { id: free.id } });
    await simulator.advance('acme', { number: moving.parcels[0].number, status: 'Order Picked Up' });
    expect(await ask('DELETE', `/parcels/${moving.id}`)).toMatchObject({
      status: 409,
      body: { message: 'It is collected' },
    });
    expect(simulator.shipments('acme').map(({ isCancelled }) => isCancelled)).toEqual([true, false]);
  });

  it('is told of by the carrier’s own webhook, signed, where its cases show one', async () => {
    const received: { headers: IncomingHttpHeaders; text: string }[] = [];
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        received.push({ headers: request.headers, text: body.toString() });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    simulator.pushTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secrets: {} });
    const [{ number }] = (await create(1)).body.parcels;
    await simulator.advance('acme', { number, status: 'Order Picked Up' });
    const [{ headers, text } = expect.fail('nothing was pushed')] = received;
    expect(parsed(text)).toEqual({ number, code: 'COLLECTED', at: '2027-01-15T14:00:00+02:00' });
    const signature = createHmac('sha256', 'acme-example-key')
      .update(`${nowMs / 1_000}.${text}`)
      .digest('hex');
    expect(headers).toMatchObject({ 'x-acme-timestamp': String(nowMs / 1_000), 'x-acme-signature': signature });
  });

  it('has not moved where its push is not taken', async () => {
    const answers = [503, 200];
    const server = createServer((_, response) => void response.writeHead(answers.shift() ?? 503).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    simulator.pushTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secrets: {} });
    const [{ number }] = (await create(1)).body.parcels;
    const advance = async () => await simulator.advance('acme', { number, status: 'Order Picked Up' });
    await expect(advance()).rejects.toThrow(/did not take the push \(503\)/);
    expect(await eventsOf(number)).toEqual([]);
    await advance();
    expect(await eventsOf(number)).toHaveLength(1);
  });

  it('goes its way by itself when told to', async () => {
    await simulator.close();
    simulator = await start({ autoplay: { journey: 'delivered', intervalMs: 1 } });
    const [{ number }] = (await create(1)).body.parcels;
    await expect
      .poll(async () => (await eventsOf(number)).map(({ code }: { code: string }) => code))
      .toEqual(['COLLECTED', 'ON_VAN', 'DONE']);
  });
});

describe('misbehaviour', () => {
  it.each([
    ['status,status=429,retryAfterSeconds=7', 429, 0],
    ['status,status=500,acted=true', 500, 1],
    ['html', 502, 0],
    ['refuse', 422, 0],
    ['case,case=refused', 422, 0],
    ['slow,ms=1', 201, 1],
  ])('%s: %i', async (behaviour, status, made) => {
    simulator.behave('acme', parseBehaviour(behaviour));
    const answer = await create();
    expect([answer.status, simulator.shipments('acme').length]).toEqual([status, made]);
    expect(answer.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect((await create()).status).toBe(201);
  });

  it.each(['reset', 'truncated', 'hang'])('%s leaves no whole answer', async (what) => {
    simulator.behave('acme', parseBehaviour(`${what},path=/parcels`));
    const asked = fetch(`${simulator.carriers['acme']}/parcels`, {
      method: 'POST',
      signal: AbortSignal.timeout(200),
      headers: { 'x-api-key': 'acme-example-key' },
    });
    await expect(asked.then((response) => response.text())).rejects.toThrow();
  });

  it.each([
    ['fly', /do must be one of slow, status/],
    ['slow,ms=x', /ms must be an integer/],
    ['slow,ms=600001', /ms must be <= 600000/],
    ['slow,acted=perhaps', /acted must be a boolean/],
    ['status,colour=red', /colour is not a known field/],
    ['case', /case needs the name of one/],
  ])('%s is not understood', (text, why) => {
    expect(() => parseBehaviour(text)).toThrow(why);
  });
});

const askLinked = async (method: string, path: string, body?: unknown) => {
  const url = `${simulator.carriers['linked']}${path}`;
  const sent =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : parsed(text) };
};

describe('a carrier of linked packages, each by a call of its own', () => {
  beforeEach(async () => {
    await simulator.close();
    const { carrier, findings } = loadCarrier('linked', {
      home: memoryFiles({ 'carriers/linked.yaml': LINKED }),
      shipped,
    });
    if (carrier === undefined) throw new Error(JSON.stringify(findings));
    simulator = await startSimulator({
      carriers: [carrier],
      files: filesOf('linked', LINKED_FILES),
      nowMs: () => nowMs,
    });
  });

  it('has a number for each call, which lookups tell, and undos take back', async () => {
    const look = async () => (await askLinked('GET', '/masters?reference=R-77')).body.masters;
    expect(await look()).toEqual([]);
    const { id } = (await askLinked('POST', '/masters', { reference: 'R-77' })).body;
    expect(await look()).toEqual([{ id, pieces: [] }]);
    const pieces = [];
    for (const piece of ['A', 'B', 'C'])
      pieces.push((await askLinked('POST', `/masters/${id}/pieces`, { piece })).body);
    expect(new Set(pieces.map(({ number }) => number)).size).toBe(3);
    expect(await look()).toEqual([{ id, pieces: pieces.map(({ number }, at) => ({ number, piece: 'ABC'[at] })) }]);
    expect((await askLinked('DELETE', `/masters/${id}`)).status).toBe(204);
    expect(simulator.shipments('linked')).toMatchObject([{ isCancelled: true }]);
  });

  it.each([
    ['after so many', { do: 'refuse', after: 1, path: '/pieces' }],
    ['by what its body holds', { do: 'case', case: 'refused', path: '/pieces', body: '"B"' }],
  ] as const)('refuses one of the packages: %s', async (_, behaviour) => {
    simulator.behave('linked', behaviour);
    const { id } = (await askLinked('POST', '/masters', { reference: 'R-79' })).body;
    const statuses = [];
    for (const piece of ['A', 'B', 'C'])
      statuses.push((await askLinked('POST', `/masters/${id}/pieces`, { piece })).status);
    expect(statuses[1]).toBe(422);
    expect([statuses[0], statuses[2]]).toEqual([200, 200]);
  });

  it('does not promise a refusal that no case shows', () => {
    expect(() => simulator.behave('linked', { do: 'refuse', path: '/labels' })).toThrow(
      'no case refuses a request /labels',
    );
    expect(() => simulator.behave('linked', { do: 'case', case: 'lots' })).toThrow('no case named lots has a request');
  });

  it('answers 501 to what no case shows, which no profile takes for the carrier’s answer', async () => {
    const { id } = (await askLinked('POST', '/masters', { reference: 'R-78' })).body;
    expect(await askLinked('DELETE', `/masters/${id}/pieces`)).toMatchObject({
      status: 501,
      body: { error: expect.stringMatching(/^no case of linked shows DELETE/) },
    });
  });
});

const askSoapy = async (body: string, password = 'soapy-example-pass') => {
  const text = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:s="urn:soapy"><e:Header><s:Password>${password}</s:Password></e:Header><e:Body>${body}</e:Body></e:Envelope>`;
  const headers = { 'content-type': 'text/xml; charset=utf-8' };
  const response = await fetch(simulator.carriers['soapy']!, { method: 'POST', headers, body: text });
  const whole = await response.text();
  return whole.slice(whole.indexOf('Body>') + 'Body>'.length).replaceAll(/<\/?\w+:/g, (tag) => tag.replace(/\w+:/, ''));
};
const created = (reference: string): string =>
  `<s:Create><s:Reference>${reference}</s:Reference><s:Item>A</s:Item><s:Item>B</s:Item></s:Create>`;
const track = (numbers: readonly string[]): string =>
  `<s:Track>${numbers.map((one) => `<s:Number>${one}</s:Number>`).join('')}</s:Track>`;

const make = async (reference: string) => {
  const answer = await askSoapy(created(reference));
  const of = (name: string): string[] =>
    [...answer.matchAll(new RegExp(`<${name}>([^<]+)`, 'g'))].map(([, one]) => one!);
  return { id: of('Id')[0]!, numbers: of('Number') };
};

describe('a carrier of SOAP, all of whose calls have one path', () => {
  beforeEach(async () => {
    await simulator.close();
    const home = memoryFiles({ 'carriers/soapy.yaml': SOAPY });
    const { carrier, findings } = loadCarrier('soapy', { home, shipped });
    if (carrier === undefined) throw new Error(JSON.stringify(findings));
    simulator = await startSimulator({ carriers: [carrier], files: filesOf('soapy', SOAPY_FILES), nowMs: () => nowMs });
  });

  it('has an entry for each number that is asked about, told or not, at local times', async () => {
    const { numbers } = await make('R-1');
    const [one, two] = numbers as [string, string];
    expect(await askSoapy(track(numbers))).toContain(
      `<Parcel><Number>${one}</Number></Parcel><Parcel><Number>${two}</Number></Parcel>`,
    );
    await simulator.advance('soapy', { number: one, status: 'Order Picked Up' });
    nowMs = Date.parse('2027-07-15T12:30:00Z');
    await simulator.advance('soapy', { number: two, status: 'Delivery Failed' });
    // Of the codes of a status the one that the table names.
    expect(await askSoapy(track(numbers))).toContain(
      `<Parcel><Number>${one}</Number><Event><Code>20</Code><At>2027-01-15T13:00:00</At></Event></Parcel>` +
        `<Parcel><Number>${two}</Number><Event><Code>90</Code><Why>A1</Why><At>2027-07-15T14:30:00</At></Event></Parcel>`,
    );
  });

  it('has no label at first, as its case', async () => {
    const { id } = await make('R-2');
    // Each message has an id of its own.
    const label = () => `<s:Label><s:Id>${id}</s:Id><s:Message>${randomUUID()}</s:Message></s:Label>`;
    expect(await askSoapy(label())).toContain('<Code>S-2001</Code>');
    expect(await askSoapy(label())).toContain('<Labelled>JVBERi0');
  });

  it.each([
    [
      'a repeat, as the duplicate that it is',
      async () => (await make('R-3'), await askSoapy(created('R-3'))),
      /S-1090<\/Code><Message>Known already: SH(?!900100)\d{6}</,
    ],
    [
      'another password',
      async () => await askSoapy(created('R-4'), 'guessed'),
      /S-0001<\/Code><Message>Wrong password</,
    ],
    [
      'what there is not',
      async () => await askSoapy('<s:Label><s:Id>SH777777</s:Id></s:Label>'),
      /<Message>no shipment is named SH777777<.*<Field>no</,
    ],
  ])('refuses in the words of its cases: %s', async (_, asked, said) => {
    expect(await asked()).toMatch(said);
  });

  it('misbehaves in one operation, and refuses what is asked, not that it is asked', async () => {
    simulator.behave('soapy', parseBehaviour('refuse,operation=create'));
    simulator.behave('soapy', parseBehaviour('status,status=503,operation=track'));
    expect(await askSoapy('<s:Label><s:Id>SH777777</s:Id></s:Label>')).toContain('no shipment is named');
    expect(await askSoapy(created('R-5'))).toContain('<Code>S-1042</Code>');
    expect(await askSoapy(track((await make('R-6')).numbers))).toContain('simulated problem');
    expect(() => simulator.behave('soapy', { do: 'refuse', operation: 'track' })).toThrow(
      'no case refuses a request track',
    );
    expect(() => parseBehaviour('hang,operation=fly')).toThrow(/operation must be one of/);
  });
});

const control = async (path: string, body?: unknown) => {
  const response = await fetch(
    `${simulator.url}/_control/${path}`,
    body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
  );
  return { status: response.status, body: parsed(await response.text()) };
};

describe('the control routes', () => {
  it('offer what the simulator does', async () => {
    expect((await control('behave', { carrier: 'acme', do: 'refuse' })).status).toBe(200);
    expect((await create()).status).toBe(422);
    const [{ number }] = (await create(1)).body.parcels;
    expect((await control('advance', { carrier: 'acme', number, status: 'Order Picked Up' })).body.events).toEqual([
      { number, status: 'Order Picked Up', code: 'COLLECTED' },
    ]);
    expect((await control('play', { carrier: 'acme', reference: 'ORDER-1', intervalMs: 0 })).body.events).toHaveLength(
      3,
    );
    expect((await control('shipments')).body[0].events).toHaveLength(4);
    expect(
      (await control('requests')).body.map(({ status, from }: { status: number; from: string }) => [status, from]),
    ).toEqual([
      [422, 'refused'],
      [201, 'created'],
    ]);
    expect((await control('carriers')).body).toEqual(simulator.carriers);
    expect((await control('clear', {})).status).toBe(200);
    expect((await control('requests')).body).toEqual([]);
  });

  it.each([
    ['advance', { carrier: 'acme', number: 'X', status: 'DONE' }, 404, /no shipment of this simulator is named X/],
    ['behave', { carrier: 'acme', do: 'fly' }, 400, /do must be one of/],
    ['behave', { carrier: 'nobody', do: 'hang' }, 404, /no carrier nobody/],
    ['play', { carrier: 'acme', journey: 'lost' }, 400, /journey must be one of delivered/],
    ['push-to', { url: 'nowhere' }, 400, /url must be a URL that begins with http/],
    ['fly', { carrier: 'acme' }, 404, /there are advance/],
  ])('%s %j: %i', async (path, body, status, why) => {
    const answer = await control(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(why);
  });
});
