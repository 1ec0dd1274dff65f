/** Endpoints with one fault each: that one is found, and nothing else. */
import { expect, it } from 'vitest';
import { brokenIn, certified } from './certifying.ts';
import { type Answered, DOCUMENTS, type Faults, type Loose, startEndpoint } from './endpoint.ts';

/** The body of each success, changed; and each entry of it. */
const body = (change: (body: Loose) => Loose): Faults => ({
  success: (answered) => ({ ...answered, body: { ...answered.body, ...change(answered.body) } }),
});
const entry = (change: (entry: Loose) => Loose): Faults =>
  body(({ itemsTrackDetails: list }) => ({
    itemsTrackDetails: list.map((one: Loose) => ({ ...one, ...change(one) })),
  }));
const refusedIf = (why: string, isRefused: (body: Loose) => boolean): Faults => ({
  errors: (found, asked) => (isRefused(asked) ? [...found, why] : found),
});
const refusal = (change: (body: Loose) => Partial<Answered>): Faults => ({
  refusal: (answered) => ({ ...answered, ...change(answered.body) }),
});
const refusalBody = (change: Loose): Faults => refusal((refused) => ({ body: { ...refused, ...change } }));
const push = (change: Loose): Faults => ({ push: (update) => ({ ...update, ...change }) });
const without = (code: string): Faults => ({
  push: (update) => (update.carrierStatusCode === code ? undefined : update),
});

let count = 0;

const WRONG: readonly (readonly [fault: string, found: string, faults: Faults])[] = [
  ['is broken', 'create', { success: () => ({ status: 500, body: {} }) }],
  [
    'answers CREATE with a refusal in a body of 200',
    'create',
    { success: () => ({ status: 200, body: { status: 400, errors: ['no'] } }) },
  ],
  ['redirects', 'create', { success: () => ({ status: 302, body: {} }) }],
  [
    'wants an optional field',
    'mandatory',
    refusedIf('merchantCode is required', ({ merchantCode }) => merchantCode === undefined),
  ],
  ['refuses an optional field', 'complete', refusedIf('vas is not offered', ({ vas }) => vas !== undefined)],
  [
    'refuses fields that it does not know',
    'unknown',
    refusedIf('unknownText?', ({ unknownText }) => unknownText !== undefined),
  ],
  ['takes one package only', 'packages', refusedIf('one package', ({ itemList }) => itemList?.length > 1)],
  ['takes no returns', 'values', refusedIf('no returns', ({ typeOfOrder }) => typeOfOrder === 'REVERSE')],
  ['knows no pounds', 'values', refusedIf('KG only', ({ uomTotalWeight }) => uomTotalWeight === 'LB')],
  ['refuses to make ZPL', 'values', refusedIf('no ZPL', ({ labelFormat }) => labelFormat === 'ZPL')],
  ['answers 201', 'success', { success: (answered) => ({ ...answered, status: 201 }) }],
  ['calls its JSON HTML', 'json', { success: (answered) => ({ ...answered, type: 'text/html' }) }],
  ['answers with a list', 'json', { success: (answered) => ({ ...answered, body: [answered.body] }) }],
  ['writes its status as text', 'status', body(() => ({ status: '200' }))],
  ['has no status', 'status', body(() => ({ status: undefined }))],
  ['does not echo the reference', 'reference', body(() => ({ referenceId: undefined }))],
  [
    'echoes another reference',
    'reference',
    {
      success: (answered, { typeOfAction }) =>
        typeOfAction === 'CANCEL' ? answered : { ...answered, body: { ...answered.body, referenceId: 'OTHER' } },
    },
  ],
  ['gives its time in seconds', 'timestamp', body(() => ({ timestamp: 1_777_000_000 }))],
  [
    'answers one entry for all packages',
    'entries',
    body(({ itemsTrackDetails }) => ({ itemsTrackDetails: itemsTrackDetails.slice(0, 1) })),
  ],
  [
    'names packages otherwise',
    'entries',
    entry(({ itemReferenceNumber }) => ({ itemReferenceNumber: `${itemReferenceNumber}-X` })),
  ],
  ['has no entries', 'entries', body(() => ({ itemsTrackDetails: {} }))],
  [
    'gives numbers that are no text',
    'tracking-number',
    { trackingNumber: (number) => Number(number.replaceAll(/\D/g, '')) },
  ],
  ['gives no tracking number', 'tracking-number', entry(() => ({ trackingNumber: '' }))],
  [
    'gives all packages one number',
    'tracking-own',
    {
      trackingNumber: (number, { itemReferenceNumber }) => (itemReferenceNumber === 'PKG-1' ? number : 'TRACK-SHARED'),
    },
  ],
  ['ignores assigned numbers', 'tracking-assigned', { trackingNumber: (number) => number.replace('PRE', 'OWN') }],
  ['does not echo the carrier', 'carrier', entry(() => ({ carrierCode: undefined }))],
  ['echoes another order', 'order', entry(() => ({ orderNumber: 'OTHER' }))],
  ['gives relative label URLs', 'label-url', entry(({ labelUrl }) => ({ labelUrl: new URL(labelUrl).pathname }))],
  ['gives no label', 'label-url', entry(() => ({ labelUrl: undefined }))],
  [
    'gives all packages one label',
    'label-own',
    entry(({ labelUrl }) => ({ labelUrl: labelUrl.split('?')[0].replace(/TRACK\d+/, 'TRACK0') })),
  ],
  [
    'answers a cancel for another reference',
    'understood',
    {
      success: (answered, { typeOfAction }) =>
        typeOfAction === 'CANCEL' ? { ...answered, body: { referenceId: 'OTHER' } } : answered,
    },
  ],
  ['makes a second shipment of a repeat', 'repeat', { finds: (found, action) => found && action !== 'CREATE' }],
  ['refuses a repeat', 'repeat', repeatRefused()],
  ['knows no UPDATE', 'update', refusedIf('no updates', ({ typeOfAction }) => typeOfAction === 'UPDATE')],
  [
    'gives new numbers with an UPDATE',
    'update-same',
    {
      success: (answered, { typeOfAction }) =>
        typeOfAction === 'UPDATE'
          ? {
              ...answered,
              body: {
                ...answered.body,
                itemsTrackDetails: answered.body.itemsTrackDetails.map((one: Loose) => ({
                  ...one,
                  trackingNumber: `NEW${(count += 1)}`,
                })),
              },
            }
          : answered,
    },
  ],
  [
    'creates what an UPDATE does not find',
    'update-unknown',
    { finds: (found, action) => found || action === 'UPDATE' },
  ],
  ['knows no CANCEL', 'cancel', refusedIf('no cancels', ({ typeOfAction }) => typeOfAction === 'CANCEL')],
  ['serves no label', 'label-served', { label: (label) => ({ ...label, status: 404 }) }],
  ['serves labels to nobody', 'label-served', { label: (label) => ({ ...label, status: 403 }) }],
  [
    'serves a page where the label should be',
    'label-document',
    { label: (label) => ({ ...label, bytes: Buffer.from('<html>Label</html>') }) },
  ],
  [
    'serves half a label',
    'label-document',
    { label: (label, format) => (format === 'PDF' ? { ...label, bytes: Buffer.from('%PDF-1.4\n') } : label) },
  ],
  [
    'serves ZPL only',
    'label-pdf',
    { label: (label, format) => ({ ...label, bytes: DOCUMENTS[format === 'PNG' ? 'PNG' : 'ZPL'] ?? label.bytes }) },
  ],
  ['serves PDF only', 'label-others', { label: (label) => ({ ...label, bytes: DOCUMENTS['PDF'] ?? label.bytes }) }],
  ['takes whatever comes', 'refuses', { errors: () => [] }],
  [
    'does not look at a city',
    'refuses-each',
    { errors: (found) => (found.length === 1 ? found.filter((error) => !error.startsWith('originCity')) : found) },
  ],
  ['refuses with 422', 'refusal-400', refusal(() => ({ status: 422 }))],
  ['refuses in a body of 200', 'refusal-400', refusal(() => ({ status: 200 }))],
  ['crashes on what is invalid', 'refusal-400', refusal(() => ({ status: 500, body: {} }))],
  ['says one message', 'refusal-body', refusalBody({ errors: undefined, message: 'no' })],
  ['says errors as maps', 'refusal-body', refusalBody({ errors: [{ code: 7 }] })],
  ['refuses without the status', 'refusal-body', refusalBody({ status: undefined })],
  ['refuses without the reference', 'refusal-reference', refusalBody({ referenceId: undefined })],
  ['refuses without a time', 'refusal-timestamp', refusalBody({ timestamp: undefined })],
  ['lets everybody in', 'denies', { denied: () => undefined }],
  [
    'denies with 400',
    'denies',
    {
      denied: ({ authorization }) =>
        authorization === 'Bearer endpoint-token'
          ? undefined
          : { status: 400, body: { status: 400, errors: ['who?'] } },
    },
  ],
  ['lets nobody in', 'credentials', { denied: () => ({ status: 403, body: {} }) }],
  ['is not there', 'reachable', { denied: () => ({ status: 404, body: {} }) }],
  [
    'hangs up on several packages',
    'answers',
    { strikes: ({ itemList }, response) => itemList?.length > 1 && response.destroy() !== undefined },
  ],
  ['pushes nothing', 'pushed', { push: () => undefined }],
  ['pushes without the token', 'push-token', { push: (update, headers) => (delete headers['authorization'], update) }],
  [
    'pushes with its own token',
    'push-token',
    { push: (update, headers) => ((headers['authorization'] = 'Bearer own'), update) },
  ],
  ['pushes forms', 'push-json', { push: (update) => `status=${update.carrierStatusCode}` }],
  [
    'pushes lists',
    'push-single',
    { push: (update) => [update, { ...update, statusReceivedAt: '2026-05-04 12:00:01' }] },
  ],
  ['pushes without names', 'push-known', push({ value: 'X', orderNo: undefined, consignmentNumber: undefined })],
  [
    'pushes the order in the place of the number',
    'push-value',
    { push: (update) => ({ ...update, value: update.orderNo }) },
  ],
  ['does not say that it is a tracking number', 'push-type', push({ type: undefined })],
  ['pushes without the order', 'push-order', push({ orderNo: undefined })],
  ['pushes without the consignment', 'push-consignment', push({ consignmentNumber: undefined })],
  ['pushes for another carrier', 'push-carrier', push({ carrierCode: 'OTHER' })],
  ['pushes times as ISO', 'push-time', push({ statusReceivedAt: '2026-05-04T12:00:00Z' })],
  ['pushes offsets as zones', 'push-zone', push({ eventTimezone: '+02:00' })],
  [
    'pushes codes of its own',
    'push-status',
    { push: (update) => ({ ...update, carrierStatusCode: `X-${update.carrierStatusCode}` }) },
  ],
  ['pushes a number as a text field', 'push-fields', push({ driverName: 7 })],
  ['never tells of a hub', 'lifecycle-at-facility', without('AT_HUB')],
  ['never tells of a delivery', 'lifecycle-order-delivered', without('DELIVERED')],
  ['never tells of a return', 'lifecycle-returned-to-origin', without('RETURNED_TO_ORIGIN')],
];

function repeatRefused(): Faults {
  const seen = new Set<string>();
  return refusedIf('it is there already', ({ typeOfAction, referenceId }) => {
    const isAgain = typeOfAction === 'CREATE' && seen.has(referenceId);
    seen.add(referenceId);
    return isAgain;
  });
}

it.for(WRONG)('an endpoint that %s breaks %s, and nothing else', async ([, found, faults]) => {
  const certificate = await certified(startEndpoint(faults));
  expect(brokenIn(certificate)).toEqual([found]);
  const { level, offences } = certificate.statements.find(({ id }) => id === found) ?? {};
  expect(certificate.isOk).toBe(level === 'should');
  expect(offences?.[0]?.what).toMatch(/\S/);
});

it('an endpoint that does not answer in time breaks that, and nothing else', async () => {
  const faults: Faults = { strikes: ({ itemList }) => itemList?.length > 1 };
  expect(brokenIn(await certified(startEndpoint(faults), { timeoutMs: 1_000 }))).toEqual(['answers']);
});

it('an endpoint to which nobody listens is not reached', async () => {
  const endpoint = await startEndpoint();
  await endpoint.close();
  expect(brokenIn(await certified(endpoint))).toEqual(['reachable']);
});
