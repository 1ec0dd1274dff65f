import { describe, expect, test } from 'vitest';
import {
  BadRequestReply,
  CancelRefusedReply,
  CancelReply,
  ConflictReply,
  type ConsignmentEntry,
  ErrorReply,
  STATUS_WORDS,
  SuccessReply,
  timestampText,
  UnprocessableReply,
} from '../../../src/engine/consignment/reply.ts';
import { validator } from '../../../src/engine/validate.ts';
import {
  badRequest,
  cancelAnswer,
  conflict,
  refusal,
  success,
  unprocessable,
  wrong,
} from '../../../src/platform/api/http-answer.ts';

const now = Date.UTC(2026, 4, 1, 9, 5, 7);
const timestamp = 'Fri May 01 2026 09:05:07 GMT+0000';
const entry = {
  referenceNumber: 'REF-1',
  orderNumber: 'ORD-1',
  consignmentNumber: 'CON-1',
  trackingDetails: [
    {
      packageId: 'P1',
      trackingNumber: 'T1',
      label: 'https://example.com/l.pdf',
      carrierDetails: { name: 'Acme', code: 'acme', info: {} },
    },
  ],
};

const entryOf = (one: ConsignmentEntry) => (success(one).bodyAt(now) as SuccessReply).data[0]!;

test('a timestamp ends in GMT+0000 and can be read back', () => {
  expect(timestampText(now)).toBe(timestamp);
  expect(Date.parse(timestampText(now))).toBe(now);
});

describe('replies', () => {
  test('to a create or update name the consignment and its tracking', () => {
    const reply = success(entry).bodyAt(now);
    expect(reply).toEqual({ timestamp, status: 'OK', data: [{ ...entry, masterTrackingNumber: 'T1' }] });
    expect(validator(SuccessReply)(reply)).toMatchObject({ ok: true });
  });

  test('keep the number for the whole, and have none while the carrier has not answered', () => {
    expect(entryOf({ ...entry, masterTrackingNumber: 'M1' }).masterTrackingNumber).toBe('M1');
    expect(entryOf({ ...entry, trackingDetails: [] })).not.toHaveProperty('masterTrackingNumber');
  });

  test('400 lists what is wrong by reference', () => {
    const reply = badRequest([{ message: 'a is required' }, { message: 'b is required' }], 'REF-1').bodyAt(now);
    expect(reply).toEqual({
      timestamp,
      status: 'BAD_REQUEST',
      errors: [{ referenceNumber: 'REF-1', details: ['a is required', 'b is required'] }],
    });
    expect(wrong('x').bodyAt(now)).toMatchObject({ errors: [{ details: ['x'] }] });
    expect(validator(BadRequestReply)(reply)).toMatchObject({ ok: true });
  });

  test('409 brings what there is already', () => {
    const reply = conflict('Duplicate consignment', entry, ['REF-1 is taken']).bodyAt(now);
    expect(reply).toEqual({
      timestamp,
      status: 'CONFLICT',
      message: 'Duplicate consignment',
      errors: ['REF-1 is taken'],
      data: { ...entry, masterTrackingNumber: 'T1' },
    });
    expect(conflict('m').bodyAt(now)).not.toHaveProperty('data');
    expect(validator(ConflictReply)(reply)).toMatchObject({ ok: true });
  });

  test('422 names the rules and has no tracking', () => {
    const reply = unprocessable('Rules broken', ['x must be y'], {
      orderNumber: 'ORD-1',
      referenceNumber: 'REF-1',
    }).bodyAt(now);
    expect(reply).toEqual({
      timestamp,
      status: 'UNPROCESSABLE_ENTITY',
      message: 'Rules broken',
      errors: ['x must be y'],
      data: { orderNumber: 'ORD-1', referenceNumber: 'REF-1', trackingDetails: [] },
    });
    expect(validator(UnprocessableReply)(reply)).toMatchObject({ ok: true });
  });

  test.each(Object.entries(STATUS_WORDS).filter(([code]) => code !== '400'))('%s has the status %s', (code, word) => {
    const reply = refusal(Number(code), 'Sorry').bodyAt(now);
    expect(reply).toEqual({ timestamp, status: word, message: 'Sorry', errors: ['Sorry'] });
    expect(validator(ErrorReply)(reply)).toMatchObject({ ok: true });
  });
});

describe('replies to a cancel', () => {
  const done = {
    referenceNumber: 'REF-1',
    status: 'Success',
    message: 'Cancelled',
    trackingDetails: [{ trackingNumber: 'T1', status: 'Success', remark: 'Cancelled' }],
  } as const;
  const refused = {
    referenceNumber: 'REF-2',
    status: 'Failed',
    message: 'Use the return flow',
    trackingDetails: [],
  } as const;
  const entries = [
    { ...done, trackingDetails: [...done.trackingDetails] },
    { ...refused, trackingDetails: [] },
  ];

  test('count what was cancelled and what was not', () => {
    const reply = cancelAnswer(entries, []).bodyAt(now);
    expect(reply).toEqual({ timestamp, successCount: 1, failedCount: 1, data: entries });
    expect(validator(CancelReply)(reply)).toMatchObject({ ok: true });
  });

  test('400 names the unknown references beside the rest', () => {
    const reply = cancelAnswer(entries, ['REF-9']).bodyAt(now);
    expect(reply).toEqual({
      timestamp,
      status: 'BAD_REQUEST',
      errors: [{ referenceNumber: 'REF-9', details: ['referenceNumber REF-9 is not known'] }],
      successCount: 1,
      failedCount: 2,
      data: entries,
    });
    expect(validator(CancelRefusedReply)(reply)).toMatchObject({ ok: true });
  });
});
