import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { TableStatus } from '../../../src/engine/statuses/status.ts';
import { noticeOf } from '../../../src/engine/statuses/tell.ts';

const told = (status: TableStatus, update: StatusUpdate, earlier: readonly StatusUpdate[] = []) =>
  noticeOf(
    {
      position: 1,
      status,
      reason: 'NOT_HOME',
      occurredAtMs: 5,
      eventTimezone: 'UTC',
      update,
      previousStatus: 'In Transit',
    },
    () => earlier,
  );

describe('The notice of an event', () => {
  it('says its own status, what it changed, and what the carrier said', () => {
    const update = { carrierStatusCode: 'X', info: { key: 1 } };
    expect(told('Delivery Failed', update)).toEqual({
      event: 'consignment.status',
      position: 1,
      previousStatus: 'In Transit',
      status: 'Delivery Failed',
      reason: 'NOT_HOME',
      update,
      occurredAtMs: 5,
      eventTimezone: 'UTC',
      info: { key: 1 },
    });
  });

  it('does not carry a label', () => {
    expect(told('In Transit', { value: 'T', label: { url: 'https://example.com/l.pdf' } })?.update).toEqual({
      value: 'T',
    });
  });

  it('is made of an unmapped one, too', () => {
    expect(told('Unmapped', {})?.status).toBe('Unmapped');
  });
});

describe('An event that changes nothing', () => {
  it('is told only when it brings something new', () => {
    expect(told('No Change', { carrierStatusCode: 'PING', latitude: '1', info: { x: 1 } })).toBeUndefined();
    expect(told('No Change', { driverName: '' })).toBeUndefined();
    const news: StatusUpdate[] = [
      { extraInfo: { expectedDeliveryDate: '2026-05-03' } },
      { extraInfo: { pod: [{ type: 'PHOTO', url: 'https://example.com/p.png' }] } },
      { installationItems: [{ vasCode: 'INSTALLATION', status: 'DONE' }] },
      { driverName: 'D. Example' },
      { vehicleNumber: 'EX 1' },
    ];
    for (const update of news) {
      expect(told('No Change', update)).toMatchObject({ event: 'consignment.status', update });
      expect(told('No Change', update, [{}, { ...update, value: 'T' }])).toBeUndefined();
    }
  });

  it("says the package's status, having none of its own", () => {
    expect(told('No Change', { driverName: 'D. Example' })?.status).toBeUndefined();
  });

  it('is told when one of several facts is new', () => {
    const before: StatusUpdate = { driverName: 'D. Example', extraInfo: { comments: 'a' } };
    expect(told('No Change', { ...before, extraInfo: { comments: 'b' } }, [before])).toBeDefined();
  });
});
