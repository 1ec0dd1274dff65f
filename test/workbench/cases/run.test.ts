import { describe, expect, test } from 'vitest';
import { carrierOf, runText, said } from './running.ts';

const ACME = `
carrier: acme
name: Acme
environments: { sandbox: { url: 'https://api.acme.example' }, production: { url: 'https://www.acme.example' } }
credentials: { key: { secret: true } }
settings: { depot: { optional: true } }
auth: { apiKey: { header: X-Key, value: '\${credentials.key}' } }
memo: [orderId]
operations:
  create:
    post: /orders
    body: { json: '{ "ref": consignment.referenceId, "boxes": $count(consignment.itemList) }' }
    result: |
      { "itemsTrackDetails": [{ "trackingNumber": response.body.number, "memo": { "orderId": response.body.id },
        "label": response.body.label ? { "content": response.body.label } }] }
  cancel: { delete: '/orders/\${shipment.packages[0].memo.orderId}' }
  track:
    get: '/track/\${item.trackingNumber}'
    result: |
      response.body.scans.{ "value": $item.trackingNumber, "carrierStatusCode": code, "statusReceivedAt": at }
outcomes:
  - { status: 400, do: reject, code: response.body.code, messages: response.body.errors }
statuses:
  webhook:
    auth: { signature: { algorithm: hmac-sha256, key: '\${credentials.key}', header: x-signature } }
    events: |
      request.body.{ "value": number, "carrierStatusCode": code, "statusReceivedAt": at }
  table: { P: Order Picked Up, T: In Transit, D: Order Delivered, F/NH: { status: Delivery Failed, reason: NOT_HOME } }
`;
const acme = carrierOf('acme', { 'carriers/acme.yaml': ACME });
const URL_OF = 'https://api.acme.example/orders';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

const createWith = (headers: string): string => `
flow:
  - do: create
    exchanges:
      - request: { post: '${URL_OF}', headers: ${headers} }
        response: { status: 200, json: { number: A1, id: 17 } }
`;

describe('a case passes', () => {
  test('when a create, a webhook, a poll and a cancel go as it tells', async () => {
    const report = await runText(
      acme,
      `
case: the whole way
given: { now: '2026-05-01T09:00:00Z', consignment: one-box }
flow:
  - do: create
    exchanges:
      - request: { post: '${URL_OF}', headers: { x-key: example-key }, json: { boxes: 1, ref: REF-1 } }
        response: { status: 200, json: { number: A1, id: 17, label: '${PDF}' } }
    expect:
      result: { itemsTrackDetails: [ { itemReferenceNumber: PKG-1, trackingNumber: A1, memo: { orderId: 17 } } ], masterTrackingNumber: null }
      labels: { PKG-1: PDF }
      status: Order Created
  - do: webhook
    request: { sign: true, json: { number: A1, code: P, at: '2026-05-02T05:48:00+02:00' } }
    expect: { reply: 200, events: [ { value: A1, status: Order Picked Up, occurredAt: '2026-05-02T03:48:00Z' } ] }
  - { do: webhook, request: { headers: { x-signature: forged }, json: {} }, expect: { reply: 401, events: [] } }
  - do: track
    exchanges:
      - request: { get: 'https://api.acme.example/track/A1' }
        response: { status: 200, json: { scans: [ { code: D, at: '2026-05-03T14:00:00Z' } ] } }
    expect: { events: [ { status: Order Delivered } ], status: Order Delivered }
  - do: cancel
    exchanges: [ { request: { delete: '${URL_OF}/17' }, response: { status: 200 } } ]
`,
    );
    expect(said(report)).toEqual([]);
    expect(report).toMatchObject({ passed: true, case: 'the whole way', carrier: 'acme' });
    expect(report.touched.steps).toEqual(['create/create', 'track/track', 'cancel/cancel']);
    expect(report.touched.rows).toHaveLength(2);
  });

  test('when the carrier is asked again after the time it says', async () => {
    const report = await runText(
      acme,
      `
case: throttled
given: { consignment: one-box }
flow:
  - do: create
    exchanges:
      - { request: { post: '${URL_OF}' }, response: { status: 429, headers: { Retry-After: '90' } }, wait: 90s }
      - { request: same, response: refused, wait: 4s }
      - { request: same, response: { status: 200, json: { number: A1, id: 1 } } }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('when an operation ends as it says: refused, with code and messages', async () => {
    const report = await runText(
      acme,
      `
case: refused
given: { consignment: one-box }
flow:
  - do: create
    exchanges: [ { request: { post: '${URL_OF}' }, response: { status: 400, json: { code: X7, errors: [ too heavy ] } } } ]
    expect: { outcome: reject, code: X7, messages: too heavy }
`,
    );
    expect(said(report)).toEqual([]);
    expect(report.touched.rules).toEqual(['carriers/acme.yaml:22:5']);
  });

  test('when `null` takes a setting or credential away that has an example', async () => {
    const optional = carrierOf('acme', {
      'carriers/acme.yaml': ACME.replace('{ optional: true }', '{ optional: true, example: D1 }')
        .replace('{ key: { secret: true } }', '{ key: { secret: true }, user: { optional: true, example: U1 } }')
        .replace(
          'post: /orders',
          "post: /orders\n    headers: { X-Depot: '${settings.depot}', X-User: '${credentials.user}' }",
        ),
    });
    const given =
      'case: absent\ngiven: { consignment: one-box, settings: { depot: null }, credentials: { user: null } }';
    expect(said(await runText(optional, `${given}${createWith('{ X-Depot: null, X-User: null }')}`))).toEqual([]);
    const examples = 'case: examples\ngiven: { consignment: one-box }';
    expect(said(await runText(optional, `${examples}${createWith('{ X-Depot: D1, X-User: U1 }')}`))).toEqual([]);
  });

  test.each([
    ['timeout', 'unknown_outcome'],
    ['reset', 'unknown_outcome'],
    ['cut', 'unknown_outcome'],
    ['{ status: 200, delay: 31s }', 'unknown_outcome'],
    ["{ status: 502, text: '<html>' }", 'unknown_outcome'],
    ['{ status: 401 }', 'config_error'],
    ['{ status: 200, json: { number: 5 } }', 'unknown_outcome'],
  ])('when %s comes to %s', async (response, outcome) => {
    const report = await runText(
      acme,
      `
case: a fault
given: { consignment: one-box }
flow:
  - do: create
    exchanges: [ { request: { post: '${URL_OF}' }, response: ${response} } ]
    expect: { outcome: ${outcome} }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('when it ends while the engine waits, and says so', async () => {
    const report = await runText(
      acme,
      `
case: waiting
given: { consignment: one-box }
flow:
  - do: create
    exchanges: [ { request: { post: '${URL_OF}' }, response: no_host, wait: 2s } ]
    expect: { outcome: waiting, code: name_not_found }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('when labels that were named by URL are fetched, a placeholder first', async () => {
    const report = await runText(
      carrierOf('acme', {
        'carriers/acme.yaml': ACME.replace(
          '"label": response.body.label ? { "content": response.body.label }',
          '"labelUrl": response.body.label',
        ),
      }),
      `
case: a label later
given: { consignment: one-box }
flow:
  - do: create
    exchanges: [ { request: { post: '${URL_OF}' }, response: { status: 200, json: { number: A1, label: 'https://api.acme.example/l/1' } } } ]
    expect: { labels: { PKG-1: 'https://api.acme.example/l/1' } }
  - do: label
    exchanges: [ { request: { get: 'https://api.acme.example/l/1', headers: { X-Key: example-key } }, response: { status: 404 } } ]
    expect: { labels: { PKG-1: not_yet } }
  - do: label
    exchanges:
      - request: { get: 'https://api.acme.example/l/1' }
        response: { status: 302, headers: { Location: 'https://store.example/1.pdf' } }
      - request: { get: 'https://store.example/1.pdf', headers: { X-Key: null } }
        response: { status: 200, base64: ${PDF} }
    expect: { labels: { PKG-1: PDF } }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('when an update is a cancel and a create, and what a registration brought is used', async () => {
    const profile = ACME.replace('  cancel:', '  update: recreate\n  cancel:')
      .replace(
        '  track:',
        `  register:
    post: /hooks
    body: { json: '{ "url": webhook.url }' }
    result: '{ "settings": { "depot": response.body.depot } }'
  unregister: { delete: '/hooks/\${settings.depot}' }
  track:`,
      )
      .replace('settings: { depot: { optional: true } }', 'settings: { depot: { from: register } }');
    const report = await runText(
      carrierOf('acme', { 'carriers/acme.yaml': profile }),
      `
case: recreated
given:
  consignment: one-box
  shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: A1, memo: { orderId: o-1 } } ] }
flow:
  - do: register
    exchanges:
      - request: { post: 'https://api.acme.example/hooks', json: { url: 'https://waybill.example/v2/carriers/acme/webhook/1' } }
        response: { status: 200, json: { depot: D7 } }
    expect: { result: { settings: { depot: D7 } } }
  - do: update
    change: { referenceId: REF-2 }
    exchanges:
      - { request: { delete: '${URL_OF}/o-1' }, response: { status: 200 } }
      - { request: { post: '${URL_OF}', json: { ref: REF-2, boxes: 1 } }, response: { status: 200, json: { number: A2, id: o-2 } } }
    expect: { result: { itemsTrackDetails: [ { trackingNumber: A2 } ] } }
  - { do: cancel, exchanges: [ { request: { delete: '${URL_OF}/o-2' }, response: { status: 200 } } ], expect: { status: Cancelled } }
  - { do: unregister, exchanges: [ { request: { delete: 'https://api.acme.example/hooks/D7' }, response: { status: 204 } } ] }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('when a batch that is refused is asked again one by one', async () => {
    const profile = ACME.replace(
      "get: '/track/${item.trackingNumber}'",
      'get: \'/track?n=${$join(items.trackingNumber, ",")}\'\n    batch: 2',
    );
    const report = await runText(
      carrierOf('acme', { 'carriers/acme.yaml': profile.replace('"value": $item.trackingNumber', '"value": n') }),
      `
case: tracked
given:
  shipment:
    packages:
      - { itemReferenceNumber: PKG-1, trackingNumber: A1 }
      - { itemReferenceNumber: PKG-2, trackingNumber: A2 }
      - { itemReferenceNumber: PKG-3, trackingNumber: A3 }
flow:
  - do: track
    exchanges:
      - { request: { get: 'https://api.acme.example/track?n=A1,A2' }, response: { status: 400, json: { code: X } } }
      - { request: { get: 'https://api.acme.example/track?n=A1' }, response: { status: 400, json: { code: gone, errors: [ no A1 ] } } }
      - { request: { get: 'https://api.acme.example/track?n=A2' }, response: { status: 200, json: { scans: { n: A2, code: D, at: '2026-01-15T08:00:00Z' } } } }
      - { request: { get: 'https://api.acme.example/track?n=A3' }, response: { status: 200, json: { scans: { n: A3, code: T, at: '2026-01-15T08:00:00Z' } } } }
    expect: { outcome: reject, code: gone, events: [ { value: A2, status: Order Delivered }, { value: A3, status: In Transit } ], status: Partially Delivered }
`,
    );
    expect(said(report)).toEqual([]);
  });

  test('for what the contract pushes, whatever the carrier', async () => {
    const report = await runText(
      acme,
      `
case: pushed
given: { consignment: one-box, shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: A1 } ] } }
flow:
  - do: push
    request: { json: { value: A1, carrierStatusCode: F, carrierSubStatusCode: nh, statusReceivedAt: '2026-01-15 08:00:00' } }
    expect: { reply: 200, events: [ { status: Delivery Failed, reason: NOT_HOME } ], status: Delivery Failed }
  - do: push
    now: '2026-01-16T10:00:00Z'
    request: { json: { value: A1, carrierStatusCode: XX } }
    expect: { events: [ { status: Unmapped, occurredAt: '2026-01-16T11:00:00+01:00' } ], status: Delivery Failed }
  - { do: push, request: { json: 17 }, expect: { reply: 400 } }
`,
    );
    expect(said(report)).toEqual([]);
  });
});

const create = (exchanges: string, more = ''): string => `
case: a story
given: { consignment: one-box }
flow:
  - do: create
    exchanges:
${exchanges}
${more}`;
const OK = `{ status: 200, json: { number: A1, id: 1 } }`;

const fails = async (text: string, files: Record<string, string> = {}): Promise<string[]> => {
  const report = await runText(acme, text, files);
  expect(report.passed).toBe(false);
  return said(report);
};

describe('a case fails', () => {
  test('on a request that nobody expects', async () => {
    expect(await fails(create('      []').replace('exchanges:\n      []', 'exchanges: []'))).toEqual([
      `6:5 unexpected request: POST ${URL_OF} with {"ref":"REF-1","boxes":1}`,
    ]);
  });

  test('on another request than the next one', async () => {
    expect(
      await fails(create(`      - { request: { get: 'https://api.acme.example/ping' }, response: { status: 200 } }`)),
    ).toEqual([`7:9 unexpected request in the place of this one: POST ${URL_OF} with {"ref":"REF-1","boxes":1}`]);
  });

  test('on an exchange that never comes', async () => {
    const text = create(
      `      - { request: { post: '${URL_OF}' }, response: ${OK} }\n      - { request: same, response: ${OK} }`,
    );
    expect(await fails(text)).toEqual([`8:9 this exchange is unused: POST again ${URL_OF} was never asked`]);
  });

  test('on an exchange that is passed over', async () => {
    const text = create(
      `      - { request: { get: 'https://api.acme.example/ping' }, response: { status: 200 } }\n` +
        `      - { request: { post: '${URL_OF}' }, response: ${OK} }`,
    );
    expect(await fails(text)).toEqual(['7:9 this exchange is unused: the one after it came instead']);
  });

  test('on another body, naming what differs', async () => {
    const text = create(
      `      - { request: { post: '${URL_OF}', json: { ref: REF-2, boxes: 1, to: DE } }, response: ${OK} }`,
    );
    expect(await fails(text)).toEqual(['7:11 another request | body.ref: "REF-2" → "REF-1" | body.to: "DE" → -']);
  });

  test('on another body than the file beside it holds', async () => {
    const text = create(`      - { request: { post: '${URL_OF}', json: order.json }, response: ${OK} }`);
    expect(await fails(text, { 'fixtures/acme/order.json': '{ "ref": "REF-1", "boxes": 2 }' })).toEqual([
      '7:11 another request | body.boxes: 2 → 1',
    ]);
  });

  test('on another header or query', async () => {
    const text = create(
      `      - { request: { post: '${URL_OF}?a=1', headers: { X-Key: other, X-Old: 'yes', Accept: null } }, response: ${OK} }`,
    );
    expect(await fails(text)).toEqual([
      `7:11 another request | url: "${URL_OF}?a=1" → "${URL_OF}" | headers.X-Key: "other" → "example-key" | ` +
        `headers.X-Old: "yes" → - | headers.Accept: - → "application/json"`,
    ]);
  });

  test('on a wait that it does not say, or says wrong, or that does not come', async () => {
    const unsaid = `      - { request: { post: '${URL_OF}' }, response: refused }\n      - { request: same, response: ${OK} }`;
    expect(await fails(create(unsaid))).toEqual(['7:9 the engine waits 2s here, which the case does not say']);
    const wrong = unsaid.replace('refused }', 'refused, wait: 5s }');
    expect(await fails(create(wrong))).toEqual(['7:84 the engine waits 2s here | wait: "5s" → "2s"']);
    const never = create(`      - { request: { post: '${URL_OF}' }, response: ${OK}, wait: 2s }`);
    expect(await fails(never)).toEqual([expect.stringContaining('the engine does not wait here | wait: "2s" → -')]);
  });

  test('when the engine would ask once more', async () => {
    expect(await fails(create(`      - { request: { post: '${URL_OF}' }, response: refused }`))).toEqual([
      '5:5 after the last exchange the engine waits 2s and asks again (the connection was refused): ' +
        'add that exchange, or expect the outcome "waiting"',
      expect.stringContaining('the outcome is waiting'),
    ]);
  });

  test('on another outcome, saying why it came to it', async () => {
    const text = create(
      `      - { request: { post: '${URL_OF}' }, response: { status: 400, json: { code: X7, errors: [ nope ] } } }`,
    );
    expect(await fails(text)).toEqual([
      '5:5 the outcome is reject: X7: nope (carriers/acme.yaml:22:5) | outcome: "succeed" → "reject"',
    ]);
  });

  test('on another result, label, event or status', async () => {
    const text = create(
      `      - { request: { post: '${URL_OF}' }, response: ${OK} }`,
      `    expect:
      result: { itemsTrackDetails: [ { trackingNumber: A2, memo: { orderId: 1 } }, { trackingNumber: A3 } ], memo: { x: 1 } }
      labels: { PKG-1: ZPL }
      status: In Transit
`,
    );
    expect(await fails(text)).toEqual([
      '9:7 the result is not as expected | result.itemsTrackDetails: [{"trackingNumber":"A2","memo":{"orderId":1}},{"trackingNumber":"A3"}] → ' +
        '[{"trackingNumber":"A1","memo":{"orderId":1}}] | result.memo.x: 1 → -',
      '10:7 the labels are not as expected | labels.PKG-1: "ZPL" → -',
      '11:7 the status is not as expected | status: "In Transit" → "Order Created"',
    ]);
  });

  test('on an event that was not told, or told otherwise', async () => {
    const text = `
case: pushed
given: { consignment: one-box, shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: A1 } ] } }
flow:
  - do: push
    request: { json: [ { value: A1, carrierStatusCode: T }, { value: A1, carrierStatusCode: D } ] }
    expect: { events: [ { status: In Transit } ] }
  - do: push
    request: { json: { value: A1, carrierStatusCode: T } }
    expect: { reply: 202, events: [ { status: Delayed } ] }
`;
    expect(await fails(text)).toEqual([
      '7:15 the events are not as expected | events: [{"status":"In Transit"}] → [{"status":"In Transit"},{"status":"Order Delivered"}]',
      '10:15 the reply is not as expected | reply.status: 202 → 200',
      '10:27 the events are not as expected | events[0].status: "Delayed" → "In Transit"',
    ]);
  });

  test('on an unknown key, with its place and what was meant', async () => {
    expect(await fails(create(`      - { reqest: same, response: ${OK} }`))).toEqual([
      '7:9 exchanges[0] needs "request"',
      '7:11 "reqest" is not known in exchanges[0] (did you mean "request"?)',
    ]);
  });

  test.each([
    [
      'given: { consignment: one-bax }',
      '3:10 there is no fixtures/_consignments/one-bax.yaml (did you mean "one-box"?)',
    ],
    [
      'given: { consignment: one-box, credentials: { kee: x } }',
      '3:47 acme declares no credentials kee (declared: key)',
    ],
    [
      'given: { consignment: one-box, service: Fast }',
      '3:32 acme has no service Fast (it has GROUND, EXPRESS, STANDARD, ECONOMY)',
    ],
    [
      'given: { consignment: one-box, change: { referenceId: null, orderNo: X } }',
      '3:10 this is no consignment of the contract: referenceId is required; orderNo is not a known field',
    ],
    [
      'given: { consignment: one-box, now: yesterday }',
      `3:37 now has to be an instant, not "yesterday" (like '2026-05-01T09:00:00Z', with Z or an offset)`,
    ],
    [
      'given: { consignment: one-box, change: { itemList: [ { itemName: 0123 } ] } }',
      "3:66 YAML and JSON do not read 0123 alike (quote it: '0123')",
    ],
    [
      'given: { shipment: { tracking: X } }',
      '3:22 "tracking" is not known in shipment (known here: trackingNumber, memo, packages)',
    ],
    [
      'given: { consignment: one-box, shipment: { memo: { id: X } } }',
      '3:32 acme has no memo id (it declares orderId)',
    ],
  ])('on %s', async (given, problem) => {
    const text = `\ncase: a story\n${given}\nflow: [ { do: create, exchanges: [] } ]\n`;
    expect((await fails(text)).map((one) => one.replace(/ \|.*/, ''))).toContain(problem);
  });

  test.each([
    ['{ do: craete }', '4:15 do cannot be "craete" (did you mean "create"?)'],
    ['{ do: update, exchanges: [] }', '4:11 acme has no operation update'],
    ['{ do: cancel, change: {} }', '4:23 change is for update'],
    ['{ do: create, request: {} }', '4:23 request is for webhook and push; what we ask stands in exchanges'],
    [
      '{ do: push, request: { json: {} }, expect: { outcome: reject } }',
      '4:54 outcome is nothing that comes of a push',
    ],
    ['{ do: create, expect: { reply: 200 } }', '4:33 reply is for webhook and push'],
    ['{ do: push }', '4:9 push needs "request"'],
    ['{ do: push, request: { json: {}, text: x } }', '4:42 there is a body already, under "json"'],
    ['{ do: push, request: { json: none.json } }', '4:32 there is no file none.json beside the case'],
    [
      '{ do: create, exchanges: [ { request: { get: /a }, response: { status: 200 } } ] }',
      '4:38 "/a" is not a whole URL',
    ],
    [
      '{ do: create, exchanges: [ { request: same, response: { status: 200 } } ] }',
      '4:36 the first request has no previous one',
    ],
    [
      '{ do: create, exchanges: [ { request: { get: https://a.example, put: https://a.example }, response: lost } ] }',
      '4:109 response cannot be "lost" (did you mean "no_host"?)',
    ],
    [
      '{ do: create, exchanges: [ { request: { headers: {} }, response: reset } ] }',
      '4:38 a request has one of get, post, put, patch, delete',
    ],
  ])('on the step %s', async (step, problem) => {
    expect((await fails(`\ncase: a story\ngiven: { consignment: one-box }\nflow: [ ${step} ]\n`))[0]).toBe(problem);
  });

  test('on text that is no YAML, and on an empty file', async () => {
    expect(await fails('case: [')).toEqual([expect.stringMatching(/^1:\d+ this is not YAML/)]);
    expect(await fails('')).toEqual([expect.stringMatching(/^1:1 the file is empty/)]);
  });
});
