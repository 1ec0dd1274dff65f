import { describe, expect, it } from 'vitest';
import { normalise } from '../../../src/engine/statuses/normalise.ts';
import { type ExampleCarrier, exampleCarrier } from './carrier.ts';
import { checkNights } from './nights.ts';

const RECEIVED = Date.UTC(2026, 4, 2, 12);
type Update = Parameters<typeof normalise>[1];
const read = (update: Update, carrier: ExampleCarrier = {}) => normalise(exampleCarrier(carrier), update, RECEIVED);
const at = (update: Update, carrier?: ExampleCarrier) => new Date(read(update, carrier).occurredAtMs).toISOString();

describe('The status of an event', () => {
  it('is that of the row for its code', () => {
    const event = read({
      carrierStatusCode: 'DELIVERY_FAILED',
      carrierSubStatusCode: 'NH',
      carrierStatus: 'PICKED_UP',
    });
    expect(event).toMatchObject({ status: 'Delivery Failed', reason: 'NOT_HOME' });
    expect(event.row?.key).toBe('DELIVERY_FAILED/NH');
  });

  it('is looked for by the status where there is no code, by the sub-status alike', () => {
    expect(read({ carrierStatus: ' delivery_failed ', carrierSubStatus: 'nh' }).reason).toBe('NOT_HOME');
    expect(read({ carrierStatusCode: '', carrierStatus: 'DELIVERED' }).status).toBe('Order Delivered');
  });

  it('is Unmapped when no row knows it', () => {
    const event = read({ carrierStatusCode: 'X1', carrierStatusDescription: 'Beamed up' });
    expect(event).toMatchObject({ status: 'Unmapped', reason: undefined, row: undefined });
    expect(event.carrierStatus).toEqual({ code: 'X1', subCode: '', description: 'Beamed up' });
  });

  it('is Unmapped, with the rows named, when two rows tie', () => {
    const event = read({ carrierStatusCode: 'ACB' }, { table: { 'A*B': 'In Transit', 'A*C*': 'Delayed' } });
    expect(event.status).toBe('Unmapped');
    expect(event.warnings).toContain('the rows "A*B", "A*C*" of the status table tie');
  });

  it('can be that nothing changes', () => {
    expect(read({ carrierStatusCode: 'PING' })).toMatchObject({ status: 'No Change', asksForPoll: false });
  });

  it('missing altogether asks for a poll where the carrier can be asked', () => {
    expect(read({ value: 'T1' }, { tracks: true })).toMatchObject({ status: 'No Change', asksForPoll: true });
    expect(read({ value: 'T1' })).toMatchObject({ status: 'Unmapped', asksForPoll: false });
    expect(read({ carrierStatusDescription: 'x' }, { tracks: true }).asksForPoll).toBe(false);
  });

  it('is compared cut to what the records hold, without what they cannot hold', () => {
    const { carrierStatus } = read({ carrierStatusCode: `A\u0000\uD800${'x'.repeat(5_000)}` });
    expect(carrierStatus.code).toHaveLength(300);
    expect(carrierStatus.code.startsWith('A\uFFFD\uFFFDxx')).toBe(true);
  });
});

describe('The time of an event', () => {
  it("is local to the profile's zone unless it says otherwise", () => {
    expect(at({ statusReceivedAt: '2026-05-01 10:00:00' }, { zone: 'Europe/Berlin' })).toBe('2026-05-01T08:00:00.000Z');
    expect(at({ statusReceivedAt: '2026-05-01T10:00:00+05:30' })).toBe('2026-05-01T04:30:00.000Z');
  });

  it("is local to the event's own zone, which is kept", () => {
    const update = { statusReceivedAt: '2026-05-01 10:00:00', eventTimezone: 'Asia/Kolkata' };
    expect(at(update, { zone: 'Europe/Berlin' })).toBe('2026-05-01T04:30:00.000Z');
    expect(read(update).eventTimezone).toBe('Asia/Kolkata');
  });

  it("is read by the profile's formats, numbers too", () => {
    expect(at({ statusReceivedAt: '31.12.2025 23:15' }, { formats: ['dd.MM.yyyy HH:mm'] })).toBe(
      '2025-12-31T23:15:00.000Z',
    );
    expect(at({ statusReceivedAt: 1_767_225_600 }, { formats: ['epoch'] })).toBe('2026-01-01T00:00:00.000Z');
  });

  it('is lastUpdatedAt where there is no other', () => {
    expect(at({ lastUpdatedAt: '2026-05-01 10:00:00' })).toBe('2026-05-01T10:00:00.000Z');
    expect(at({ statusReceivedAt: ' ', lastUpdatedAt: '2026-05-01 10:00:00' })).toBe('2026-05-01T10:00:00.000Z');
  });

  it.each([undefined, '', 'yesterday', '2026-02-30 10:00:00', '0001-01-01 00:00:00', -5, '9'.repeat(200)])(
    'is that of its receipt for %j, and says so',
    (statusReceivedAt) => {
      const event = read({
        carrierStatusCode: 'PICKED_UP',
        ...(statusReceivedAt === undefined ? {} : { statusReceivedAt }),
      });
      expect(event.occurredAtMs).toBe(RECEIVED);
      expect(event.status).toBe('Order Picked Up');
      expect(event.warnings.join()).toMatch(/that of its receipt was taken/);
    },
  );

  it('is when it happened in nights when clocks change, too', () => {
    const { read: count, wrong } = checkNights();
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  it('survives a zone that is none', () => {
    const event = read(
      { statusReceivedAt: '2026-05-01 10:00:00', eventTimezone: 'Mars/Base' },
      { zone: 'Europe/Berlin' },
    );
    expect(new Date(event.occurredAtMs).toISOString()).toBe('2026-05-01T08:00:00.000Z');
    expect(event.warnings).toEqual(['eventTimezone "Mars/Base" names no time zone; Europe/Berlin was taken']);
  });
});

describe('The carrier of an event', () => {
  it("is the token's; another in the body is only noted", () => {
    expect(read({ carrierCode: 'other', statusReceivedAt: '2026-05-01 10:00:00' }).warnings).toEqual([
      'carrierCode is "other", but example sent it',
    ]);
    expect(read({ carrierCode: 'EXAMPLE', statusReceivedAt: '2026-05-01 10:00:00' }).warnings).toEqual([]);
  });
});
