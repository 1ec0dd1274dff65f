import { describe, expect, test } from 'vitest';
import { Answer, ErrorBody } from '../../../src/engine/consignment/answer.ts';
import { coerce, validator } from '../../../src/engine/validate.ts';

const check = validator(Answer, 'the result');
const messages = (value: unknown): string[] => {
  const checked = check(coerce(Answer, value));
  return checked.ok ? [] : checked.issues.map(({ message }) => message);
};

describe('an answer', () => {
  test('may hold all that the contract and the language name', () => {
    const answer = {
      status: 200,
      referenceId: 'REF-1',
      timestamp: 1_777_000_000_000,
      executionTime: 12,
      itemsTrackDetails: [
        {
          itemReferenceNumber: 'P1',
          trackingNumber: 'T1',
          labelUrl: 'https://example.com/1.pdf',
          label: { content: 'JVBERi0=', format: 'PDF' },
          carrierCode: 'acme',
          orderNumber: 'ORD-1',
          memo: { orderId: 7 },
        },
      ],
      masterTrackingNumber: 'M1',
      label: { url: 'https://example.com/all.pdf' },
      memo: { batch: 'B' },
      warnings: ['slow today'],
    };
    expect(check(answer)).toEqual({ ok: true, value: answer });
  });

  test('may be a lone entry without its list', () => {
    expect(coerce(Answer, { itemsTrackDetails: { trackingNumber: 'T1' }, warnings: 'one' })).toEqual({
      itemsTrackDetails: [{ trackingNumber: 'T1' }],
      warnings: ['one'],
    });
  });

  test('may have no entry at all: whether that is enough is for the operation', () => {
    expect(check(coerce(Answer, {}))).toEqual({ ok: true, value: { itemsTrackDetails: [] } });
  });

  test('may bring a label as bytes', () => {
    expect(messages({ label: { content: new Uint8Array([37, 80]) } })).toEqual([]);
  });

  test.each([
    [{ trackingNumbers: [] }, ['trackingNumbers is not a known field']],
    [{ itemsTrackDetails: { tracking: 'T1' } }, ['itemsTrackDetails[0].tracking is not a known field']],
    [{ itemsTrackDetails: { trackingNumber: 5 } }, ['itemsTrackDetails[0].trackingNumber must be a string']],
    [{ label: {} }, ['label must have either content or url']],
    [{ label: { content: 'a', url: 'b' } }, ['label must have either content or url']],
    [{ label: { content: '' } }, ['label.content must be text or bytes, and not empty']],
    [{ label: { content: new Uint8Array() } }, ['label.content must be text or bytes, and not empty']],
    [{ label: { url: 'u', format: 'GIF' } }, ['label.format must be one of PDF, ZPL, PNG']],
  ])('%j is told %j', (value, expected) => {
    expect(messages(value)).toEqual(expected);
  });

  test('keeps an odd label URL: a shipment that was accepted stays accepted', () => {
    expect(messages({ itemsTrackDetails: { trackingNumber: 'T1', labelUrl: '/labels/1' } })).toEqual([]);
  });
});

test('the error body of the contract may carry more than the contract says', () => {
  const body = { status: 400, referenceId: 'REF-1', timestamp: 1, errors: ['no'], trace: 'x' };
  expect(validator(ErrorBody)(body)).toMatchObject({ ok: true });
  expect(validator(ErrorBody)({ status: 400 })).toMatchObject({ ok: false });
});
