import { expect, it } from 'vitest';
import { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { validator } from '../../../src/engine/validate.ts';
import { sampleConsignments } from '../../../src/workbench/certify/consignments.ts';
import { brokenIn, certified } from './certifying.ts';
import { type Faults, startEndpoint } from './endpoint.ts';

type Certificate = Awaited<ReturnType<typeof certified>>;
const verdictOf = ({ statements }: Certificate, name: string) => statements.find(({ id }) => id === name)?.verdict;
const notTried = ({ statements }: Certificate) =>
  statements.filter(({ verdict }) => verdict === 'not_tried').map(({ id }) => id);

it.each([
  ['bearer', ['authorization', 'Bearer endpoint-token'], { secret: 'endpoint-token' }],
  ['apiKey', ['x-key', 'endpoint-key'], { secret: 'endpoint-key' }],
  [
    'basic',
    ['authorization', `Basic ${btoa('own:endpoint-password')}`],
    { username: 'own', secret: 'endpoint-password' },
  ],
] as const)(
  'an endpoint that does all that the contract says is certified, by %s',
  async (auth, proof, credentials) => {
    const certificate = await certified(startEndpoint({}, proof), { auth, credentials });
    expect(brokenIn(certificate)).toEqual([]);
    expect(notTried(certificate)).toEqual([]);
    expect(certificate.isOk).toBe(true);
    expect(verdictOf(certificate, 'denies')).toBe('holds');
  },
);

it('every field of the contract is sent, and all is what the contract allows', () => {
  const { complete, mandatory } = sampleConsignments(Date.parse('2026-05-01T10:00:00Z'), 'PRE1');
  const named = { referenceId: 'R', carrierCode: 'own', typeOfAction: 'CREATE' };
  const check = validator(Consignment, 'the consignment');
  for (const sample of [complete, mandatory]) expect(check({ ...sample, ...named })).toMatchObject({ ok: true });
  expect(Object.keys(complete).toSorted()).toEqual(Object.keys(Consignment.properties).toSorted());
  expect(Object.keys(mandatory).toSorted()).toEqual(Consignment.required.toSorted());
});

it('labels that come late are waited for', async () => {
  const faults: Faults = { label: (label, _, asks) => (asks < 4 ? { ...label, status: 404 } : label) };
  const certificate = await certified(startEndpoint(faults));
  expect(brokenIn(certificate)).toEqual([]);
  expect(verdictOf(certificate, 'label-served')).toBe('holds');
});

it('a label may come late under another URL, which a push tells', async () => {
  let labelUrl = '';
  const faults: Faults = {
    label: (label, format) => (format === 'LATER' ? { ...label, status: 404 } : label),
    success: (answered, { referenceId }) => {
      const [entry] = answered.body.itemsTrackDetails;
      if (referenceId !== 'WB1-1') return answered;
      ({ labelUrl } = entry);
      const itemsTrackDetails = [{ ...entry, labelUrl: labelUrl.replace('.PDF', '.LATER') }];
      return { ...answered, body: { ...answered.body, itemsTrackDetails } };
    },
  };
  expect(brokenIn(await certified(startEndpoint(faults)))).toEqual(['label-served']);
  const push: Faults['push'] = (update) => (update.orderNo === 'WB1-1-O' ? { ...update, labelUrl } : update);
  expect(brokenIn(await certified(startEndpoint({ ...faults, push })))).toEqual([]);
});

it('statuses of the carrier’s own count by what they were agreed to mean', async () => {
  const faults: Faults = {
    push: (update) => ({
      ...update,
      carrierStatusCode: update.carrierStatusCode === 'DELIVERED' ? 'HANDED_OVER' : update.carrierStatusCode,
    }),
  };
  expect(brokenIn(await certified(startEndpoint(faults)))).toEqual(['push-status']);
  const statuses = { HANDED_OVER: 'Order Delivered' };
  expect(brokenIn(await certified(startEndpoint(faults), { statuses }))).toEqual([]);
});

it('pushes about shipments of others are no finding', async () => {
  const faults: Faults = {
    push: (update) => [update, { ...update, value: 'OTHERS', orderNo: 'OTHERS', consignmentNumber: 'OTHERS', type: 7 }],
  };
  expect(brokenIn(await certified(startEndpoint(faults)))).toEqual(['push-single']);
});

it('what is left out is said, and is no finding', async () => {
  const certificate = await certified(startEndpoint({ denied: () => undefined }), {
    auth: 'none',
    credentials: {},
    over: { pushes: undefined },
  });
  expect(certificate.isOk).toBe(true);
  expect(notTried(certificate)).toEqual([]);
  const leftOut = certificate.statements.filter(({ verdict }) => verdict === 'left_out').map(({ id }) => id);
  expect(leftOut).toEqual(expect.arrayContaining(['https', 'credentials', 'denies', 'pushed', 'lifecycle-in-transit']));
});

it('shipments are cancelled at the end, but for those that are on their way, which are named', async () => {
  const endpoint = await startEndpoint();
  const { leftOver } = await certified(endpoint);
  expect(leftOver).toEqual(['WB1-1', 'WB1-2']);
  expect(endpoint.live()).toEqual(leftOver);
});

it('however slow the endpoint is, it comes to an end', async () => {
  let nowMs = 0;
  const certificate = await certified(startEndpoint(), { over: { nowMs: () => (nowMs += 60_000) } });
  expect(verdictOf(certificate, 'cancel')).toBe('not_tried');
  expect(certificate.isOk).toBe(false);
});

it('what was interrupted is no certificate', async () => {
  const certificate = await certified(startEndpoint(), { over: { signal: AbortSignal.abort() } });
  expect(brokenIn(certificate)).toEqual([]);
  expect(certificate.isOk).toBe(false);
});

it('what is sent and what comes is told without the credentials', async () => {
  const faults: Faults = { success: (answered) => ({ ...answered, status: 201 }) };
  const { statements } = await certified(startEndpoint(faults));
  const [offence] = statements.find(({ id }) => id === 'success')?.offences ?? [];
  expect(offence).toMatchObject({ what: 'the mandatory fields alone: the status is 201, not 200' });
  expect(offence?.tried?.exchange).toMatchObject({
    method: 'POST',
    requestHeaders: { authorization: '***authorization***' },
    status: 201,
  });
  expect(JSON.stringify(statements)).not.toContain('endpoint-token');
});
