import { describe, expect, test } from 'vitest';
import { carrierOf } from '../../engine/dispatch/world.ts';
import { runText, said } from './running.ts';

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
const acme = carrierOf(ACME);
const URL_OF = 'https://api.acme.example/orders';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

/** The profile, with texts of it replaced. */
const acmeWith = (...changes: readonly (readonly [from: string, to: string])[]) =>
  carrierOf(changes.reduce((text, [from, to]) => text.replace(from, to), ACME));

const GIVEN = '{ consignment: one-box }';
const SHIPPED =
  '{ consignment: one-box, shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: A1 } ] } }';
const story = (flow: string, given = GIVEN): string => `
case: a story
given: ${given}
flow:
${flow.replace(/^\n/, '')}`;
const POST = `request: { post: '${URL_OF}' }`;
const OK = '{ status: 200, json: { number: A1, id: 1 } }';
/** The exchange of a create; `more` is what else its request is to hold. */
const posted = (response = OK, more = ''): string => `{ request: { post: '${URL_OF}'${more} }, response: ${response} }`;
const again = `{ request: same, response: ${OK} }`;
/** A create with these exchanges; the first stands in line 7. */
const create = (exchanges: readonly string[], more = '', given = GIVEN): string =>
  story(
    `  - do: create\n    exchanges:${exchanges.length === 0 ? ' []' : exchanges.map((one) => `\n      - ${one}`).join('')}\n${more}`,
    given,
  );
const expecting = (expected: string): string => `    expect: ${expected}\n`;

const passes = async (text: string, carrier = acme) => {
  const report = await runText(carrier, text);
  expect(said(report)).toEqual([]);
  return report;
};

/** An order for each box, `side` by side or not. */
const boxByBox = (side: string) =>
  acmeWith(
    ['post: /orders', `forEach: consignment.itemList\n    ${side}\n    post: /orders`],
    [
      `'{ "ref": consignment.referenceId, "boxes": $count(consignment.itemList) }'`,
      `'{ "box": item.itemReferenceNumber }'`,
    ],
    [
      /"itemsTrackDetails": \[\{[^]*?\}\] \}/.exec(ACME)?.[0] ?? '',
      '"itemsTrackDetails": [steps.create.{ "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number }] }',
    ],
  );
const TWO = `
  consignment: one-box
  change:
    itemList:
      - { itemReferenceNumber: PKG-1, itemQuantity: 1, itemWeight: 2, itemWeightUom: KG }
      - { itemReferenceNumber: PKG-2, itemQuantity: 1, itemWeight: 3, itemWeightUom: KG }`;
/** The second box's exchange comes before the first's. */
const SECOND_FIRST = create(
  [2, 1].map((at) => posted(`{ status: 200, json: { number: A${at} } }`, `, json: { box: PKG-${at} }`)),
  expecting(
    '{ result: { itemsTrackDetails: [ { itemReferenceNumber: PKG-1, trackingNumber: A1 }, { itemReferenceNumber: PKG-2, trackingNumber: A2 } ] } }',
  ),
  TWO,
);

const tracked = (query: string, response: string): string =>
  `      - { request: { get: 'https://api.acme.example/track?n=${query}' }, response: ${response} }\n`;
const scanned = (number: string, code: string): string =>
  `{ status: 200, json: { scans: { n: ${number}, code: ${code}, at: '2026-01-15T08:00:00Z' } } }`;

describe('a case passes', () => {
  test('when a create, a webhook, a poll and a cancel go as it tells', async () => {
    const text = story(
      `
  - do: create
    exchanges:
      - request: { post: '${URL_OF}', headers: { x-key: example-key }, json: { boxes: 1, ref: REF-1001 } }
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
      "{ now: '2026-05-01T09:00:00Z', consignment: one-box }",
    );
    const report = await passes(text);
    expect(report).toMatchObject({ passed: true, case: 'a story', carrier: 'acme' });
    expect(report.touched.steps).toEqual(['create/create', 'track/track', 'cancel/cancel']);
    expect(report.touched.rows).toHaveLength(2);
  });

  test('when an operation ends as it says: refused, with code and messages', async () => {
    const refused = posted('{ status: 400, json: { code: X7, errors: [ too heavy ] } }');
    const report = await passes(create([refused], expecting('{ outcome: reject, code: X7, messages: too heavy }')));
    expect(report.touched.rules).toEqual(['carriers/acme.yaml:22:5']);
  });

  test('when a function refuses a value of the order: by the shipper’s field', async () => {
    const picky = acmeWith(['"ref": consignment.referenceId', '"ref": $number(consignment.referenceId)']);
    const field = 'consignmentDetails.referenceNumber';
    const right = create([], expecting(`{ outcome: reject, code: unusable_value, fields: ${field} }`));
    expect((await runText(picky, right)).problems).toEqual([]);
    const wrong = await runText(picky, right.replace(field, 'orderNumber'));
    expect(said(wrong).join()).toContain(`"orderNumber" → "${field}"`);
  });

  test.each([
    [
      '{ X-Depot: null, X-User: null }',
      '{ consignment: one-box, settings: { depot: null }, credentials: { user: null } }',
    ],
    ['{ X-Depot: D1, X-User: U1 }', GIVEN],
  ])('with %s, for `null` takes a setting or credential away that has an example', async (headers, given) => {
    const optional = acmeWith(
      ['{ optional: true }', '{ optional: true, example: D1 }'],
      ['{ key: { secret: true } }', '{ key: { secret: true }, user: { optional: true, example: U1 } }'],
      ['post: /orders', "post: /orders\n    headers: { X-Depot: '${settings.depot}', X-User: '${credentials.user}' }"],
    );
    await passes(
      create([`{ request: { post: '${URL_OF}', headers: ${headers} }, response: ${OK} }`], '', given),
      optional,
    );
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
    await passes(create([posted(response)], expecting(`{ outcome: ${outcome} }`)));
  });

  const batched = acmeWith(
    ["get: '/track/${item.trackingNumber}'", 'get: \'/track?n=${$join(items.trackingNumber, ",")}\'\n    batch: 2'],
    ['"value": $item.trackingNumber', '"value": n'],
  );
  const labelByUrl = acmeWith([
    '"label": response.body.label ? { "content": response.body.label }',
    '"labelUrl": response.body.label',
  ]);
  const registering = acmeWith(
    ['  cancel:', '  update: recreate\n  cancel:'],
    [
      '  track:',
      `  register:
    post: /hooks
    body: { json: '{ "url": webhook.url }' }
    result: '{ "settings": { "depot": response.body.depot } }'
  unregister: { delete: '/hooks/\${settings.depot}' }
  track:`,
    ],
    ['settings: { depot: { optional: true } }', 'settings: { depot: { from: register } }'],
  );

  test.each([
    [
      'when the carrier is asked again after the time it says',
      acme,
      create([
        posted(`{ status: 429, headers: { Retry-After: '90' } }, wait: 90s`),
        '{ request: same, response: refused, wait: 4s }',
        again,
      ]),
    ],
    [
      'when it ends while the engine waits, and says so',
      acme,
      create([posted('no_host, wait: 2s')], expecting('{ outcome: waiting, code: name_not_found }')),
    ],
    [
      'when labels that were named by URL are fetched, a placeholder first',
      labelByUrl,
      story(`
  - do: create
    exchanges: [ { ${POST}, response: { status: 200, json: { number: A1, label: 'https://api.acme.example/l/1' } } } ]
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
`),
    ],
    [
      'when the authentication of a label has the time of its own request',
      acmeWith(
        ['"label": response.body.label ? { "content": response.body.label }', '"labelUrl": response.body.label'],
        ["value: '${credentials.key}'", "value: '${now}'"],
      ),
      story(
        `
  - do: create
    exchanges: [ { ${POST}, response: { status: 200, json: { number: A1, label: 'https://api.acme.example/l/1' } } } ]
  - do: label
    exchanges:
      - request: { get: 'https://api.acme.example/l/1', headers: { X-Key: '2026-05-01T09:00:00.000Z' } }
        response: { status: 302, delay: 5s, headers: { Location: 'https://api.acme.example/l/2' } }
      - request: { get: 'https://api.acme.example/l/2', headers: { X-Key: '2026-05-01T09:00:05.000Z' } }
        response: { status: 200, base64: ${PDF} }
    expect: { labels: { PKG-1: PDF } }
`,
        '{ consignment: one-box, now: 2026-05-01T09:00:00Z }',
      ),
    ],
    [
      'when an update is a cancel and a create, and what a registration brought is used',
      registering,
      story(
        `
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
        SHIPPED.replace('A1', 'A1, memo: { orderId: o-1 }'),
      ),
    ],
    [
      'when a batch that is refused is asked again one by one',
      batched,
      story(
        `  - do: track\n    exchanges:\n${tracked('A1,A2', '{ status: 400, json: { code: X } }')}` +
          tracked('A1', '{ status: 400, json: { code: gone, errors: [ no A1 ] } }') +
          tracked('A2', scanned('A2', 'D')) +
          tracked('A3', scanned('A3', 'T')) +
          expecting(
            '{ outcome: reject, code: gone, events: [ { value: A2, status: Order Delivered }, { value: A3, status: In Transit } ], status: Partially Delivered }',
          ),
        `{ shipment: { packages: [ ${[1, 2, 3].map((at) => `{ itemReferenceNumber: PKG-${at}, trackingNumber: A${at} }`).join()} ] } }`,
      ),
    ],
    ['when calls go side by side, in whatever order they stand', boxByBox('parallel: 2'), SECOND_FIRST],
    [
      'for what the contract pushes, whatever the carrier',
      acme,
      story(
        `
  - do: push
    request: { json: { value: A1, carrierStatusCode: F, carrierSubStatusCode: nh, statusReceivedAt: '2026-01-15 08:00:00' } }
    expect: { reply: 200, events: [ { status: Delivery Failed, reason: NOT_HOME } ], status: Delivery Failed }
  - do: push
    now: '2026-01-16T10:00:00Z'
    request: { json: { value: A1, carrierStatusCode: XX } }
    expect: { events: [ { status: Unmapped, occurredAt: '2026-01-16T11:00:00+01:00' } ], status: Delivery Failed }
  - { do: push, request: { json: 17 }, expect: { reply: 400 } }
`,
        SHIPPED,
      ),
    ],
  ])('%s', async (_, carrier, text) => void (await passes(text, carrier)));
});

const fails = async (text: string, files: Record<string, string> = {}, carrier = acme): Promise<string[]> => {
  const report = await runText(carrier, text, files);
  expect(report.passed).toBe(false);
  return said(report);
};

describe('a case fails', () => {
  const ping = "{ request: { get: 'https://api.acme.example/ping' }, response: { status: 200 } }";
  const sent = `POST ${URL_OF} with {"ref":"REF-1001","boxes":1}`;
  const BESIDE = { 'fixtures/acme/order.json': '{ "ref": "REF-1001", "boxes": 2 }' };
  test.each<[on: string, exchanges: string | string[], problems: string | string[], more?: string]>([
    ['a request that nobody expects', [], `6:5 unexpected request: ${sent}`],
    ['another request than the next one', ping, `7:9 unexpected request in the place of this one: ${sent}`],
    [
      'an exchange that never comes',
      [posted(), again],
      `8:9 this exchange is unused: POST again ${URL_OF} was never asked`,
    ],
    ['an exchange passed over', [ping, posted()], '7:9 this exchange is unused: the one after it came instead'],
    [
      'another body, naming what differs',
      posted(OK, ', json: { ref: REF-2, boxes: 1, to: DE }'),
      '7:11 another request | body.ref: "REF-2" → "REF-1001" | body.to: "DE" → -',
    ],
    ['another body than its file', posted(OK, ', json: order.json'), '7:11 another request | body.boxes: 2 → 1'],
    [
      'another header or query',
      `{ request: { post: '${URL_OF}?a=1', headers: { X-Key: other, X-Old: 'yes', Accept: null } }, response: ${OK} }`,
      `7:11 another request | url: "${URL_OF}?a=1" → "${URL_OF}" | headers.X-Key: "other" → "example-key" | ` +
        `headers.X-Old: "yes" → - | headers.Accept: - → "application/json"`,
    ],
    ['a wait untold', [posted('refused'), again], '7:9 the engine waits 2s here, which the case does not say'],
    ['another wait', [posted('refused, wait: 5s'), again], '7:84 the engine waits 2s here | wait: "5s" → "2s"'],
    ['a wait that does not come', posted(`${OK}, wait: 2s`), '7:121 the engine does not wait here | wait: "2s" → -'],
    [
      'an engine that would ask once more',
      posted('refused'),
      [
        '5:5 after the last exchange the engine waits 2s and asks again (the connection was refused): ' +
          'add that exchange, or expect the outcome "waiting"',
        '5:5 the outcome is waiting: connection_refused: the connection was refused (carriers/acme.yaml:11:5) | outcome: "succeed" → "waiting"',
      ],
    ],
    [
      'another outcome, saying why it came to it',
      posted('{ status: 400, json: { code: X7, errors: [ nope ] } }'),
      '5:5 the outcome is reject: X7: nope (carriers/acme.yaml:22:5) | outcome: "succeed" → "reject"',
    ],
    [
      'another result, label or status',
      posted(),
      [
        '9:7 the result is not as expected | result.itemsTrackDetails: [{"trackingNumber":"A2","memo":{"orderId":1}},{"trackingNumber":"A3"}] → ' +
          '[{"trackingNumber":"A1","memo":{"orderId":1}}] | result.memo.x: 1 → -',
        '10:7 the labels are not as expected | labels.PKG-1: "ZPL" → -',
        '11:7 the status is not as expected | status: "In Transit" → "Order Created"',
      ],
      `    expect:
      result: { itemsTrackDetails: [ { trackingNumber: A2, memo: { orderId: 1 } }, { trackingNumber: A3 } ], memo: { x: 1 } }
      labels: { PKG-1: ZPL }
      status: In Transit
`,
    ],
    [
      'an unknown key, with its place and what was meant',
      `{ reqest: same, response: ${OK} }`,
      ['7:9 exchanges[0] needs "request"', '7:11 "reqest" is not known in exchanges[0] (did you mean "request"?)'],
    ],
  ])('on %s', async (_, exchanges, problems, more) => {
    expect(await fails(create([exchanges].flat(), more), BESIDE)).toEqual([problems].flat());
  });

  test('on an event that was not told, or told otherwise', async () => {
    const flow = `
  - do: push
    request: { json: [ { value: A1, carrierStatusCode: T }, { value: A1, carrierStatusCode: D } ] }
    expect: { events: [ { status: In Transit } ] }
  - do: push
    request: { json: { value: A1, carrierStatusCode: T } }
    expect: { reply: 202, events: [ { status: Delayed } ] }
`;
    expect(await fails(story(flow, SHIPPED))).toEqual([
      '7:15 the events are not as expected | events: [{"status":"In Transit"}] → [{"status":"In Transit"},{"status":"Order Delivered"}]',
      '10:15 the reply is not as expected | reply.status: 202 → 200',
      '10:27 the events are not as expected | events[0].status: "Delayed" → "In Transit"',
    ]);
  });

  test.each([
    ['consignment: one-bax', '3:10 there is no fixtures/_consignments/one-bax.yaml (did you mean "one-box"?)'],
    ['credentials: { kee: x }', '4:17 acme declares no credentials kee (declared: key)'],
    ['service: Fast', '4:2 acme has no service Fast (it has GROUND, EXPRESS, STANDARD, ECONOMY)'],
    [
      'change: { referenceId: null, orderNo: X }',
      '3:10 this is no consignment of the contract: referenceId is required; orderNo is not a known field',
    ],
    [
      'now: yesterday',
      `4:7 now must be an instant, not "yesterday" (like '2026-05-01T09:00:00Z', with Z or an offset)`,
    ],
    ['change: { itemList: [ { itemName: 0123 } ] }', "4:36 YAML and JSON read 0123 differently (quote it: '0123')"],
    [
      'shipment: { tracking: X }',
      '4:14 "tracking" is not known in shipment (known here: trackingNumber, memo, packages)',
    ],
    ['shipment: { memo: { id: X } }', '4:2 acme has no memo id (it declares orderId)'],
  ])('on a case given %s', async (given, problem) => {
    const [first, more] = given.startsWith('consignment') ? [given, ''] : ['consignment: one-box', given];
    const text = `\ncase: a story\ngiven: { ${first},\n ${more} }\nflow: [ { do: create, exchanges: [] } ]\n`;
    expect((await fails(text)).map((one) => one.replace(/ \|.*/, ''))).toContain(problem);
  });

  test.each([
    ['{ do: craete }', '4:15 do cannot be "craete" (did you mean "create"?)'],
    ['{ do: update, exchanges: [] }', '4:11 acme has no operation update'],
    ['{ do: cancel, change: {} }', '4:23 change is for update'],
    ['{ do: create, request: {} }', '4:23 request is for webhook and push; what we ask stands in exchanges'],
    ['{ do: push, request: { json: {} }, expect: { outcome: fail } }', '4:54 outcome is nothing that comes of a push'],
    ['{ do: create, expect: { reply: 200 } }', '4:33 reply is for webhook and push'],
    ['{ do: push }', '4:9 push needs "request"'],
    ['{ do: push, request: { json: {}, text: x } }', '4:42 there is a body already, under "json"'],
    ['{ do: push, request: { json: none.json } }', '4:32 there is no file none.json beside the case'],
    ['{ do: create, exchanges: [ { request: { get: /a }, response: reset } ] }', '4:38 "/a" is not a whole URL'],
    ['{ do: create, exchanges: [ { request: same, response: reset } ] }', '4:36 the first request has no previous one'],
    [
      '{ do: create, exchanges: [ { request: { get: https://a.example }, response: lost } ] }',
      '4:85 response cannot be "lost" (did you mean "no_host"?)',
    ],
    [
      '{ do: create, exchanges: [ { request: { headers: {} }, response: reset } ] }',
      '4:38 a request has one of get, post, put, patch, delete',
    ],
  ])('on the step %s', async (step, problem) => {
    expect((await fails(`\ncase: a story\ngiven: { consignment: one-box }\nflow: [ ${step} ]\n`))[0]).toBe(problem);
  });

  test('on the order of calls that go one by one', async () => {
    expect(await fails(SECOND_FIRST, {}, boxByBox(''))).toEqual([
      '12:11 another request | body.box: "PKG-2" → "PKG-1"',
      '13:11 another request | body.box: "PKG-1" → "PKG-2"',
      expect.stringMatching(/^14:15 the result is not as expected/),
    ]);
  });

  test('on text that is no YAML, and on an empty file', async () => {
    expect(await fails('case: [')).toEqual([expect.stringMatching(/^1:\d+ invalid YAML/)]);
    expect(await fails('')).toEqual([expect.stringMatching(/^1:1 the file is empty/)]);
  });
});
