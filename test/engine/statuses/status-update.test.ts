import { describe, expect, test, it } from 'vitest';
import {
  readPush,
  StatusUpdate,
  StatusUpdates,
  readContractPush,
  PUSHED_MAX,
} from '../../../src/engine/statuses/status-update.ts';
import { coerce, validator } from '../../../src/engine/validate.ts';

const complete: StatusUpdate = {
  orderNo: 'ORD-1',
  type: 'Tracking',
  value: 'T1',
  consignmentNumber: 'CON-1',
  carrierCode: 'acme',
  carrierStatus: 'DELIVERED',
  carrierStatusCode: 'DL',
  carrierStatusDescription: 'Handed over',
  carrierSubStatus: 'NEIGHBOUR',
  carrierSubStatusCode: '2',
  carrierSubStatusDescription: 'At the neighbour',
  statusReceivedAt: '2026-05-03 14:00:00',
  eventTimezone: 'Asia/Kolkata',
  locationCode: 'BOM',
  locationName: 'Mumbai',
  latitude: '19.07',
  longitude: '72.87',
  lastUpdatedAt: '2026-05-03 14:00:05',
  statusIdentifierValue: 'FORWARD',
  extraInfo: {
    comments: 'ok',
    promisedDeliveryDate: '2026-05-03',
    expectedDeliveryDate: '2026-05-03',
    receivedBy: 'Dan Example',
    relation: 'self',
    pod: [{ type: 'photo', url: 'https://example.com/pod.jpg' }],
    signature: 'https://example.com/s.png',
  },
  driverName: 'Eve Example',
  vehicleNumber: 'MH 01',
  info: { any: { thing: [1] } },
  installationItems: [
    {
      itemReferenceNumber: 'P1',
      level: 'SKU',
      targetIds: ['P1'],
      vasCode: 'INSTALLATION',
      status: 'DONE',
      statusCode: 'D',
      statusTime: '2026-05-03 14:30:00',
    },
  ],
};

describe('an event that a mapping yields', () => {
  const check = validator(StatusUpdates, 'the events');
  const messages = (value: unknown): string[] => {
    const checked = check(coerce(StatusUpdates, value));
    return checked.ok ? [] : checked.issues.map(({ message }) => message);
  };

  test('may hold every field of the contract, and a label', () => {
    const event = { ...complete, label: { url: 'https://example.com/l.pdf' } };
    expect(check([event])).toEqual({ ok: true, value: [event] });
  });

  test('may give a time as the number a carrier writes', () => {
    expect(messages({ value: 'T1', statusReceivedAt: 1_777_000_000 })).toEqual([]);
  });

  test.each([
    [{ value: 'T1', carrierStatuscode: 'x' }, ['[0].carrierStatuscode is not a known field']],
    [{ value: 'T1', extraInfo: { recievedBy: 'x' } }, ['[0].extraInfo.recievedBy is not a known field']],
    [{ value: 'T1', extraInfo: { pod: { link: 'x' } } }, ['[0].extraInfo.pod[0].link is not a known field']],
    [{ value: 'T1', installationItems: { code: 'x' } }, ['[0].installationItems[0].code is not a known field']],
    [{ value: 5 }, ['[0].value must be a string']],
  ])('%j is told %j', (event, expected) => {
    expect(messages(event)).toEqual(expected);
  });

  test('may be none, one or many', () => {
    expect(coerce(StatusUpdates, undefined)).toEqual([]);
    expect(coerce(StatusUpdates, { value: 'T1' })).toEqual([{ value: 'T1' }]);
    expect(coerce(StatusUpdates, [{ value: 'T1' }, { value: 'T2' }])).toHaveLength(2);
  });
});

describe('an update that a carrier pushes', () => {
  test.each([
    complete,
    { value: 'T1', label: { content: 'JVBERi0=' } },
    { value: 'T1', label: { url: 'https://example.com/l.pdf', format: 'PDF' } },
  ])('is read whole: %j', (update) => {
    expect(readPush(update)).toEqual(update);
  });

  test.each(Object.keys(StatusUpdate.properties))('is not refused for a %s of a kind we cannot read', (field) => {
    const odd = field === 'info' || field === 'extraInfo' || field === 'label' ? 'text' : { odd: true };
    const pushed = readPush({ value: 'T1', orderNo: 'O', [field]: odd });
    const { [field as keyof StatusUpdate]: _, ...others } = { value: 'T1', orderNo: 'O' } as StatusUpdate;
    expect(pushed).toEqual(field === 'installationItems' ? { ...others, installationItems: [{}] } : others);
    expect(validator(StatusUpdate)(pushed)).toMatchObject({ ok: true });
  });

  test('keeps what fits when fields are added, at any depth', () => {
    const pushed = { value: 'T1', battery: 80, extraInfo: { comments: 'x', floor: 2, pod: { url: 'u', size: 3 } } };
    expect(readPush(pushed)).toEqual({ value: 'T1', extraInfo: { comments: 'x', pod: [{ url: 'u' }] } });
  });

  test('takes numbers where the contract has text', () => {
    expect(readPush({ orderNo: 17, latitude: 19.07, carrierStatusCode: 5 })).toEqual({
      orderNo: '17',
      latitude: '19.07',
      carrierStatusCode: '5',
    });
  });

  test('leaves out what is null', () => {
    expect(readPush({ value: 'T1', driverName: null, extraInfo: null })).toEqual({ value: 'T1' });
  });

  test('is refused only when it is no object', () => {
    for (const body of [null, 'text', 3, [], undefined]) expect(readPush(body)).toBeUndefined();
    expect(readPush({})).toEqual({});
  });

  test('cannot reach a prototype', () => {
    const pushed = readPush(JSON.parse('{"__proto__": {"value": "x"}, "constructor": 1, "value": "T1"}'));
    expect(pushed).toEqual({ value: 'T1' });
  });
});

const read = (body: unknown) => readContractPush(Buffer.from(JSON.stringify(body)));

describe("The body of the contract's push", () => {
  it('is one status update or several', () => {
    expect(read({ value: 'T1' })).toEqual({ updates: [{ value: 'T1' }], problems: [] });
    expect(read([{ value: 'T1' }, { value: 'T2' }]).updates).toHaveLength(2);
  });

  it('loses nothing of the rest for what cannot be read', () => {
    expect(read([{ value: 'T1' }, 7, null, { value: 'T2' }])).toEqual({
      updates: [{ value: 'T1' }, { value: 'T2' }],
      problems: [
        { path: '[1]', code: 'wrong_type', message: '[1] must be a status update, an object, and is a number' },
        { path: '[2]', code: 'wrong_type', message: '[2] must be a status update, an object, and is null' },
      ],
    });
  });

  it.each([
    [{}, ['value is missing or blank: it names the shipment; or give orderNo or consignmentNumber']],
    [[], ['the body is a list without a status update']],
    [7, ['the body must be a status update, an object, and is a number']],
    ['x', ['the body must be a status update, an object, and is a string']],
    [[null], ['[0] must be a status update, an object, and is null']],
    [{ value: ' ', carrierStatusCode: 'DELIVERED' }, [expect.stringContaining('value is missing or blank')]],
    [{ value: { id: 1 } }, ['value must be text, and is a map', expect.stringContaining('value is missing or blank')]],
    [[{ value: 'T1' }, { status: 'x' }], [expect.stringContaining('[1].value is missing')]],
  ])('names what of %j is no status update', (body, messages) => {
    const { updates, problems } = read(body);
    expect(problems.map(({ message }) => message)).toEqual(messages);
    expect(updates).toEqual(Array.isArray(body) && body.length > 1 ? [{ value: 'T1' }] : []);
  });

  it.each([{ orderNo: 'O' }, { consignmentNumber: 'C' }, { value: 7 }])(
    'may name its shipment otherwise: %j',
    (body) => {
      expect(read(body)).toMatchObject({ updates: [expect.anything()], problems: [] });
    },
  );

  it.each(['{', `${'['.repeat(500)}${']'.repeat(500)}`])('refuses %j', (text) => {
    expect(() => readContractPush(Buffer.from(text))).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^(body_not_readable|body_too_large)$/),
      }),
    );
  });

  it('is bounded', () => {
    const many = Array.from({ length: PUSHED_MAX + 1 }, () => ({}));
    expect(() => read(many)).toThrow(expect.objectContaining({ code: 'push_too_large' }));
  });
});
