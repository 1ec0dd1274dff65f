import { describe, expect, it } from 'vitest';
import { interpretResult, mergeFound } from '../../../src/engine/dispatch/result.ts';
import type { Run } from '../../../src/engine/dispatch/ports.ts';
import type { OperationName } from '../../../src/engine/profile/carrier.ts';
import { carrierOf, profileOf } from './world.ts';

const carrier = carrierOf(
  profileOf(`create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
update: { put: /orders, result: '{ "itemsTrackDetails": [] }' }
lookup: { get: /orders, result: '{}' }
track: { get: /events, result: '[]' }
label: { forEach: shipment.packages, get: /label, response: binary }
cancel: { delete: /orders }`),
);
const consignment = {
  referenceId: 'R1',
  orderNumber: 'O1',
  carrierCode: 'acme',
  itemList: [{ itemReferenceNumber: 'P1' }, { itemReferenceNumber: 'P2' }],
};
const runOf = (name: OperationName): Run =>
  ({ carrier, operation: carrier.operations[name], inputs: { consignment } }) as unknown as Run;
const interpret = (name: OperationName, yielded: unknown, steps = {}) => interpretResult(runOf(name), yielded, steps);
const wrong = (yielded: unknown): string => {
  const result = interpret('create', yielded);
  return result.ok ? 'right' : result.problem.messages.join('; ');
};
const made = (...itemsTrackDetails: readonly unknown[]) => ({ itemsTrackDetails });
const two = [{ trackingNumber: 'T1' }, { trackingNumber: 'T2' }];
const first = { itemReferenceNumber: 'P1', trackingNumber: 'T1' };

describe('what a create yields', () => {
  it('is matched to packages by reference, whatever the order', () => {
    const second = { itemReferenceNumber: 'P2', trackingNumber: 'T2' };
    const entries = made(second, { ...first, labelUrl: 'https://x.example/1' });
    const packages = [{ ...first, label: { url: 'https://x.example/1' } }, second];
    expect(interpret('create', { ...entries, masterTrackingNumber: 'M' })).toMatchObject({
      ok: true,
      value: { masterTrackingNumber: 'M', packages, memo: {}, warnings: [] },
    });
  });

  it('with another tracking number than the order had is taken, with a warning', () => {
    const itemList = [{ itemReferenceNumber: 'P1', itemTrackingNumber: 'MINE-1' }, { itemReferenceNumber: 'P2' }];
    const run = { ...runOf('create'), inputs: { consignment: { ...consignment, itemList } } } as unknown as Run;
    const warnings = ['package P1 had tracking number MINE-1; the carrier gave it T1'];
    expect(interpretResult(run, made(...two), {})).toMatchObject({ ok: true, value: { packages: two, warnings } });
  });

  const sole = { trackingNumber: 'T' };
  it.each([
    ['by place where nothing is named', two, two],
    ['to all where it is a sole entry', sole, [sole, sole]],
  ])('is matched %s', (_, itemsTrackDetails, packages) => {
    expect(interpret('create', { itemsTrackDetails })).toMatchObject({ ok: true, value: { packages } });
  });

  it.each([
    ['nothing', undefined, 'no entry for package P1'],
    ['too few entries', made(first), 'no entry for package P2'],
    ['too many entries', made(...two, { trackingNumber: 'T3' }), 'place 3'],
    ['two for one package', made(first, first), 'two entries'],
    ['another’s package', made({ itemReferenceNumber: 'P9', trackingNumber: 'T' }, ...two), 'P9'],
    ['no tracking number', made({ trackingNumber: 'T1' }, {}), 'no tracking number'],
    ['an empty tracking number', { itemsTrackDetails: { trackingNumber: '' } }, 'trackingNumber'],
    ['a blank tracking number', { itemsTrackDetails: { trackingNumber: ' ' } }, 'number of package P1 is blank'],
    ['a control character', made({ trackingNumber: 'T\u0007' }, two[1]), 'number of package P1 is blank, or holds'],
    ['bytes that were no text', made(two[0], { trackingNumber: 'T\uFFFD2' }), 'number of package P2'],
    ['an invisible character', { itemsTrackDetails: { trackingNumber: 'T\u200b1' } }, 'package P2'],
    ['a line break', { itemsTrackDetails: two, masterTrackingNumber: 'M\n1' }, 'master tracking number'],
    ['a wrong echo', { referenceId: 'R2', itemsTrackDetails: two }, 'not for R1'],
    ['a wrong order', { itemsTrackDetails: two.map((one) => ({ ...one, orderNumber: 'O2' })) }, 'not for O1'],
    ['an undeclared memo', { itemsTrackDetails: two, memo: { secretThing: 1 } }, 'secretThing'],
    ['an unknown key', { itemsTrackDetails: two, trackingUrl: 'x' }, 'trackingUrl'],
    ['a NUL', { itemsTrackDetails: [{ trackingNumber: 'T\u0000' }, { trackingNumber: 'T2' }] }, 'NUL'],
    [
      'a memo beside no number',
      { itemsTrackDetails: [{ memo: { orderId: 1 } }], numbersUnknown: 'it was there' },
      'package P1 has no number to keep its memo or label with',
    ],
    ['half a character', { itemsTrackDetails: two, memo: { orderId: '\ud800' } }, 'surrogate'],
  ])('with %s is refused by name', (_, yielded, message) => {
    expect(wrong(yielded)).toContain(message);
  });

  it('names the line of the profile that made it', () => {
    expect(interpret('create', {})).toMatchObject({
      ok: false,
      problem: { code: 'answer_inconsistent', place: { file: 'carriers/acme.yaml', line: 7 } },
    });
  });
});

describe('what the others yield', () => {
  const body = Buffer.from('%PDF-1');
  const label = [{ body, item: { itemReferenceNumber: 'P1' } }, { item: { itemReferenceNumber: 'P2' } }];
  const event = { value: 'T1', carrierStatusCode: 'DLV' };
  const details = { itemsTrackDetails: two };
  const packages = two.map((one): unknown => expect.objectContaining(one));

  it.each<[string, OperationName, unknown, unknown]>([
    ['an update that yields nothing changes nothing', 'update', undefined, undefined],
    ['an update may yield new numbers', 'update', details, expect.objectContaining({ packages })],
    ['a lookup of nothing says: not created', 'lookup', undefined, undefined],
    ['of null too', 'lookup', null, undefined],
    ['and without a number', 'lookup', { itemsTrackDetails: [] }, undefined],
    ['a lookup with numbers yields them', 'lookup', details, details],
    [
      'and so does one that knows of it, and of no numbers',
      'lookup',
      { itemsTrackDetails: [], numbersUnknown: 'it is there' },
      { itemsTrackDetails: [], numbersUnknown: 'it is there' },
    ],
    ['a track of nothing yields no events', 'track', undefined, []],
    ['a track of one event yields a list', 'track', event, [event]],
    [
      'each answer of a label operation is the label of its item; an empty one is none yet',
      'label',
      undefined,
      [{ itemReferenceNumber: 'P1', label: { content: body } }],
    ],
    ['a cancel yields nothing', 'cancel', { whatever: 1 }, undefined],
  ])('%s', (_, operation, yielded, value) => {
    expect(interpret(operation, yielded, { label })).toEqual({ ok: true, value });
  });

  it('a track of what is no event is refused', () => {
    expect(interpret('track', { valeu: 'T1' })).toMatchObject({ ok: false });
  });
});

describe('what lookup found', () => {
  const [one, other] = [{ trackingNumber: 'F1' }, { itemReferenceNumber: 'P2', trackingNumber: 'T2' }];
  const asked = { itemReferenceNumber: 'P1' };
  it.each([
    [
      'in for the answer of the element it was asked about',
      { itemsTrackDetails: one },
      asked,
      made(other),
      [one, other],
    ],
    ['for all where it was asked about all', { itemsTrackDetails: two }, undefined, undefined, two],
  ])('stands %s', (_, result, item, yielded, packages) => {
    const merged = mergeFound(yielded, [{ result, item }]);
    expect(interpret('create', merged)).toMatchObject({ ok: true, value: { packages } });
  });
});
