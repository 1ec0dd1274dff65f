import { describe, expect, it, test } from 'vitest';
import {
  buildNoticeBody,
  type NoticeConsignment,
  type NoticeDraft,
  WebhookEvent,
} from '../../../src/engine/webhooks/event.ts';
import { noticeOf } from '../../../src/engine/webhooks/notice.ts';
import { Value } from 'typebox/value';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { TableStatus } from '../../../src/engine/statuses/status.ts';

const links = 'https://waybill.example.com/v2/labels';
const consignment: NoticeConsignment = {
  referenceNumber: 'REF-1',
  orderNumber: 'ORDER-1',
  consignmentNumber: 'CON-1',
  consignmentType: 'FORWARD',
  orderTypes: ['FORWARD', 'EXCHANGE'],
  carrierCode: 'acme',
  masterTrackingNumber: undefined,
  status: 'In Transit',
  packages: [
    { reference: 'PKG-1', trackingNumber: 'T1', status: 'In Transit', reason: undefined },
    { reference: 'PKG-2', trackingNumber: 'T2', status: 'Delivery Failed', reason: 'NOT_HOME' },
  ],
  labels: [
    { position: 0, url: `${links}/a`, format: 'PDF' },
    { position: 1, url: `${links}/b`, format: undefined },
    { position: undefined, url: `${links}/all`, format: 'ZPL' },
  ],
};
const number = { eventId: 'evt_1', sequence: 3, times: 1, atMs: Date.UTC(2026, 0, 5, 9) };
const bodyOf = (draft: NoticeDraft, own: Partial<NoticeConsignment> = {}) =>
  buildNoticeBody(number, draft, { ...consignment, ...own });

describe('the body of a notice', () => {
  it('says what happened to one package, in our words and the carrier’s', () => {
    const draft: NoticeDraft = {
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
    };
    expect(bodyOf(draft)).toEqual({
      eventId: 'evt_1',
      timestamp: '2026-01-05T08:00:00.000Z',
      receivedAt: '2026-01-05T09:00:00.000Z',
      sequence: 3,
      event: 'consignment.delivery_failed',
      referenceNumber: 'REF-1',
      orderNumber: 'ORDER-1',
      consignmentNumber: 'CON-1',
      consignmentType: 'FORWARD',
      orderTypes: ['FORWARD', 'EXCHANGE'],
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
        { packageId: 'PKG-2', url: `${links}/b` },
        { url: `${links}/all`, format: 'ZPL' },
      ],
    });
  });

  it.each<[NoticeDraft, number, string]>([
    [{ event: 'consignment.status', position: 0 }, 1, 'consignment.in_transit'],
    [{ event: 'consignment.status', position: 0, status: 'Order Picked Up' }, 2, 'consignment.order_picked_up.2'],
    [{ event: 'consignment.status', status: 'Out for Delivery' }, 12, 'consignment.out_for_delivery.12'],
    [{ event: 'consignment.status', status: 'En Route' }, 1, 'consignment.en_route'],
    [{ event: 'consignment.status', status: 'Arrived' }, 1, 'consignment.arrived'],
    [{ event: 'consignment.tracking' }, 1, 'consignment.tracking'],
    [{ event: 'consignment.held' }, 2, 'consignment.held.2'],
  ])('names what happened, and how often: %j, %i', (draft, times, name) => {
    const body = buildNoticeBody({ ...number, times }, draft, consignment);
    expect(body.event).toBe(name);
    expect(Value.Check(WebhookEvent, body)).toBe(true);
  });

  it('of new tracking numbers names all packages that have theirs now, and carries their labels', () => {
    const packages = [
      { packageId: 'PKG-1', trackingNumber: 'T1' },
      { packageId: 'PKG-2', trackingNumber: 'T2' },
    ];
    const all = bodyOf({ event: 'consignment.tracking', positions: [0, 1] });
    expect(all).toMatchObject({ trackingNumber: 'T1', trackingDetails: packages });
    expect(all).not.toHaveProperty('packageId');
    expect(all.labels).toHaveLength(3);
    expect(Value.Check(WebhookEvent, all)).toBe(true);
    const one = bodyOf({ event: 'consignment.tracking', positions: [1] });
    expect(one).toMatchObject({ trackingNumber: 'T2', packageId: 'PKG-2', trackingDetails: [packages[1]] });
    expect(one.labels.map(({ packageId }) => packageId)).toEqual(['PKG-2', undefined]);
  });

  it('is of the time of its record, where nobody said when it happened', () => {
    const body = bodyOf({ event: 'consignment.tracking' });
    expect(body.timestamp).toBe(body.receivedAt);
    expect(body).not.toHaveProperty('occurredAt');
  });

  it('of the consignment as a whole carries all labels, and nothing of a package', () => {
    const body = bodyOf({ event: 'consignment.rejected', reason: 'no such street' });
    expect(body).toMatchObject({ status: 'In Transit', previousStatus: null, reason: 'no such street' });
    expect(body).not.toHaveProperty('packageId');
    expect(body).not.toHaveProperty('carrierStatus');
    expect(body.labels).toHaveLength(3);
  });

  it.each<[string, Partial<NoticeDraft>, Partial<NoticeConsignment>, object]>([
    ['a late event’s own status', { position: 0, status: 'Order Picked Up' }, {}, { status: 'Order Picked Up' }],
    ['the first tracking number', {}, {}, { trackingNumber: 'T1' }],
    ['but rather that of the master', {}, { masterTrackingNumber: 'M' }, { trackingNumber: 'M' }],
    ['null for want of any', {}, { packages: [], labels: [] }, { trackingNumber: null, labels: [] }],
  ])('says %s', (_, draft, own, said) => {
    expect(bodyOf({ event: 'consignment.held', ...draft }, own)).toMatchObject(said);
  });
});

const event = { position: 1, reason: 'NOT_HOME', occurredAtMs: 5, eventTimezone: 'UTC' };
const of = { ...event, previousStatus: 'In Transit' } as const;
const notified = (status: TableStatus, update: StatusUpdate, earlier: readonly StatusUpdate[] = []) =>
  noticeOf({ ...of, status, update }, () => earlier);

describe('the notice of an event', () => {
  it('says its own status, what it changed, and what the carrier said, but carries no label', () => {
    const update = { carrierStatusCode: 'X', info: { key: 1 } };
    const label = { url: 'https://example.com/l.pdf' };
    const notice = { ...of, event: 'consignment.status', status: 'Delivery Failed', update, info: { key: 1 } };
    expect(notified('Delivery Failed', { ...update, label })).toEqual(notice);
  });

  it('is made of an unmapped one, too', () => {
    expect(notified('Unmapped', {})?.status).toBe('Unmapped');
  });
});

describe('an event that changes nothing', () => {
  test.each<StatusUpdate>([
    { extraInfo: { expectedDeliveryDate: '2026-05-03' } },
    { extraInfo: { pod: [{ type: 'PHOTO', url: 'https://example.com/p.png' }] } },
    { installationItems: [{ vasCode: 'INSTALLATION', status: 'DONE' }] },
    { driverName: 'D. Example' },
    { vehicleNumber: 'EX 1' },
  ])('has a notice, without a status of its own, when it brings news: %j', (update) => {
    const notice = notified('No Change', update);
    expect(notice).toMatchObject({ event: 'consignment.status', update });
    expect(notice?.status).toBeUndefined();
    expect(notified('No Change', update, [{}, { ...update, value: 'T' }])).toBeUndefined();
  });

  it.each<StatusUpdate>([{ carrierStatusCode: 'PING', latitude: '1', info: { x: 1 } }, { driverName: '' }])(
    'has none without news: %j',
    (update) => expect(notified('No Change', update)).toBeUndefined(),
  );

  it('has one when one of several facts is new', () => {
    const before: StatusUpdate = { driverName: 'D. Example', extraInfo: { comments: 'a' } };
    expect(notified('No Change', { ...before, extraInfo: { comments: 'b' } }, [before])).toBeDefined();
  });
});
