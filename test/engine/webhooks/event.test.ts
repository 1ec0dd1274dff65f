import { expect, test, describe, it } from 'vitest';
import { buildNoticeBody, type NoticeConsignment, noticeOf } from '../../../src/engine/webhooks/event.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { TableStatus } from '../../../src/engine/statuses/status.ts';

const consignment: NoticeConsignment = {
  referenceNumber: 'REF-1',
  orderNumber: 'ORDER-1',
  consignmentNumber: 'CON-1',
  consignmentType: 'FORWARD',
  carrierCode: 'acme',
  masterTrackingNumber: undefined,
  status: 'In Transit',
  packages: [
    { reference: 'PKG-1', trackingNumber: 'T1', status: 'In Transit', reason: undefined },
    { reference: 'PKG-2', trackingNumber: 'T2', status: 'Delivery Failed', reason: 'NOT_HOME' },
  ],
  labels: [
    { position: 0, url: 'https://waybill.example.com/v2/labels/a', format: 'PDF' },
    { position: 1, url: 'https://waybill.example.com/v2/labels/b', format: undefined },
    { position: undefined, url: 'https://waybill.example.com/v2/labels/all', format: 'ZPL' },
  ],
};
const number = { eventId: 'evt_1', sequence: 3, atMs: Date.UTC(2026, 0, 5, 9) };

test('a status notice says what happened to one package, in our words and the carrier’s', () => {
  const body = buildNoticeBody(
    number,
    {
      event: 'consignment.status',
      position: 1,
      previousStatus: 'Out for Delivery',
      reason: 'NOT_HOME',
      occurredAtMs: Date.UTC(2026, 0, 5, 8),
      eventTimezone: 'Europe/Berlin',
      update: {
        value: 'T2',
        carrierStatus: 'Card left',
        carrierStatusCode: 'CL',
        locationName: 'Example Hub',
        driverName: 'Ann Example',
        extraInfo: { proof: 'card' },
      } as never,
    },
    consignment,
  );
  expect(body).toEqual({
    eventId: 'evt_1',
    timestamp: '2026-01-05T09:00:00.000Z',
    sequence: 3,
    event: 'consignment.status',
    referenceNumber: 'REF-1',
    orderNumber: 'ORDER-1',
    consignmentNumber: 'CON-1',
    consignmentType: 'FORWARD',
    carrierCode: 'acme',
    trackingNumber: 'T2',
    packageId: 'PKG-2',
    status: 'Delivery Failed',
    previousStatus: 'Out for Delivery',
    consignmentStatus: 'In Transit',
    reason: 'NOT_HOME',
    carrierStatus: { status: 'Card left', code: 'CL' },
    occurredAt: '2026-01-05T08:00:00.000Z',
    eventTimezone: 'Europe/Berlin',
    location: { name: 'Example Hub' },
    extraInfo: { proof: 'card' },
    driverName: 'Ann Example',
    labels: [
      { packageId: 'PKG-2', url: 'https://waybill.example.com/v2/labels/b' },
      { url: 'https://waybill.example.com/v2/labels/all', format: 'ZPL' },
    ],
  });
});

test('a late event tells of its own status, not of the package’s current one', () => {
  const body = buildNoticeBody(
    number,
    { event: 'consignment.status', position: 0, status: 'Order Picked Up' },
    consignment,
  );
  expect(body).toMatchObject({ status: 'Order Picked Up', consignmentStatus: 'In Transit' });
});

test('a notice of the consignment as a whole carries all labels, and the first tracking number for want of a master', () => {
  const body = buildNoticeBody(number, { event: 'consignment.rejected', reason: 'no such street' }, consignment);
  expect(body).toMatchObject({
    trackingNumber: 'T1',
    status: 'In Transit',
    previousStatus: null,
    reason: 'no such street',
  });
  expect(body).not.toHaveProperty('packageId');
  expect(body).not.toHaveProperty('carrierStatus');
  expect(body['labels']).toHaveLength(3);
  expect(
    buildNoticeBody(number, { event: 'consignment.held' }, { ...consignment, masterTrackingNumber: 'M' }),
  ).toMatchObject({
    trackingNumber: 'M',
  });
});

test('a consignment without numbers yet says null', () => {
  const body = buildNoticeBody(number, { event: 'consignment.held' }, { ...consignment, packages: [], labels: [] });
  expect(body).toMatchObject({ trackingNumber: null, labels: [] });
});

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
