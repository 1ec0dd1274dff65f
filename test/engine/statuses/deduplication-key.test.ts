import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { deduplicationKey } from '../../../src/engine/statuses/normalise.ts';

const EVENT: StatusUpdate = {
  orderNo: 'ORD-1',
  type: 'Tracking',
  value: 'T1',
  consignmentNumber: 'C-1',
  carrierStatusCode: 'DELIVERED',
  carrierSubStatusCode: 'S',
  statusReceivedAt: '2026-05-01 10:00:00',
  eventTimezone: 'Europe/Berlin',
  locationName: 'Depot',
  lastUpdatedAt: '2026-05-01 10:05:00',
  extraInfo: { receivedBy: 'A. Example', pod: [{ type: 'PHOTO', url: 'https://example.com/1.png' }] },
  installationItems: [{ itemReferenceNumber: 'P1', vasCode: 'INSTALLATION', status: 'DONE' }],
};
const id = (change: Partial<StatusUpdate> = {}, scope = {}) =>
  deduplicationKey({ ...EVENT, ...change }, scope).toString('hex');

describe('The identity of an event', () => {
  it('is a sha-256', () => {
    expect(id()).toMatch(/^[0-9a-f]{64}$/);
  });

  const same: [string, Partial<StatusUpdate>][] = [
    ['is updated again', { lastUpdatedAt: '2026-05-02 00:00:00' }],
    ['says the default type', { type: '' }],
    ['has spaces around its number', { value: ' T1 ' }],
    ['has other free fields', { info: { requestId: 7 } }],
    ['names a carrier', { carrierCode: 'other' }],
    ['says the direction', { statusIdentifierValue: 'FORWARD' }],
    ['has an empty field more', { locationCode: '', driverName: '' }],
    ['has an empty list more', { extraInfo: { ...EVENT.extraInfo, signature: '' } }],
    [
      'has its keys in another order',
      { extraInfo: { pod: [{ url: 'https://example.com/1.png', type: 'PHOTO' }], receivedBy: 'A. Example' } },
    ],
  ];
  it.each(same)('is the same when the event %s', (_, change) => {
    expect(id(change)).toBe(id());
  });

  const others: [string, Partial<StatusUpdate>][] = [
    ['kind of number', { type: 'Reference' }],
    ['number', { value: 'T2' }],
    ['order', { orderNo: 'ORD-2' }],
    ['consignment', { consignmentNumber: 'C-2' }],
    ['status', { carrierStatus: 'x' }],
    ['code', { carrierStatusCode: 'x' }],
    ['description', { carrierStatusDescription: 'x' }],
    ['sub-status', { carrierSubStatus: 'x' }],
    ['sub-code', { carrierSubStatusCode: 'x' }],
    ['sub-description', { carrierSubStatusDescription: 'x' }],
    ['time', { statusReceivedAt: '2026-05-01 10:00:01' }],
    ['zone', { eventTimezone: 'UTC' }],
    ['place', { locationName: 'Hub' }],
    ['coordinate', { latitude: '1.0' }],
    ['driver', { driverName: 'D. Example' }],
    ['vehicle', { vehicleNumber: 'EX 1' }],
    ['proof', { extraInfo: { ...EVENT.extraInfo, pod: [{ type: 'PHOTO', url: 'https://example.com/2.png' }] } }],
    ['comment', { extraInfo: { ...EVENT.extraInfo, comments: 'left at door' } }],
    ['work done', { installationItems: [{ itemReferenceNumber: 'P1', vasCode: 'INSTALLATION', status: 'FAILED' }] }],
    ['label', { label: { url: 'https://example.com/label.pdf' } }],
  ];
  it.each(others)('is another with another %s', (_, change) => {
    expect(id(change)).not.toBe(id());
  });

  it('tells fields apart that hold the same text', () => {
    expect(deduplicationKey({ carrierStatus: 'x' }, {})).not.toEqual(deduplicationKey({ carrierStatusCode: 'x' }, {}));
    expect(deduplicationKey({ latitude: '1' }, {})).not.toEqual(deduplicationKey({ longitude: '1' }, {}));
  });

  it('takes lastUpdatedAt where that is the only time', () => {
    const times = ['2026-05-01 10:00:00', '2026-05-01 11:00:00'].map((lastUpdatedAt) =>
      deduplicationKey({ value: 'T1', lastUpdatedAt }, {}).toString('hex'),
    );
    expect(new Set(times).size).toBe(2);
  });

  it('knows a number for its text, a label by its address without the signature', () => {
    expect(id({ statusReceivedAt: 1_767_225_600 })).toBe(id({ statusReceivedAt: '1767225600' }));
    const label = (url: string) => id({ label: { url } });
    expect(label('https://example.com/l.pdf?sig=1')).toBe(label('https://example.com/l.pdf?sig=2'));
    expect(label('https://example.com/l.pdf')).not.toBe(label('https://example.com/m.pdf'));
  });

  it('is apart by environment and account, so that nobody can take the place of another', () => {
    const scopes = [{}, { environment: 'sandbox' }, { accountId: 1 }, { accountId: 2 }];
    expect(new Set(scopes.map((scope) => id({}, scope))).size).toBe(4);
  });
});
