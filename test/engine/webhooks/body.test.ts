import { expect, test } from 'vitest';
import { buildNoticeBody, type NoticeConsignment } from '../../../src/engine/webhooks/body.ts';

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
