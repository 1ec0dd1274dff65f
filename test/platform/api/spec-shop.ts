/** A shop that asks as the specification says, for the tests of its rules. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { profiles } from './four-profiles.ts';
import { accepts, apiUnderTest, done } from './harness.ts';

export const reference = (): string => `REF-${randomBytes(6).toString('hex')}`;

/** The least order, under a reference of its own. */
export const least = (changes: Readonly<Record<string, unknown>> = {}) =>
  changed(leastOrder(), { 'consignmentDetails.referenceNumber': reference(), ...changes });
export const referenceOf = (order: ReturnType<typeof least>): string => order.consignmentDetails.referenceNumber;
export const details400 = (data: { errors: { details: string[] }[] }): string =>
  data.errors[0]?.details.join('\n') ?? '';
export const stamp = expect.stringMatching(/^\w{3} \w{3} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT\+0000$/);

export const trackingOf = (ref: string) => [
  {
    packageId: 'P1',
    trackingNumber: `T-${ref}-P1`,
    label: expect.stringMatching(/^https:\/\/waybill\.example\.com\/v2\/labels\//),
    carrierDetails: { name: 'Acme Parcels', code: 'acme', info: {} },
  },
];

export const specShop = () => {
  const api = apiUnderTest({}, { profiles });
  let shipper: Awaited<ReturnType<typeof api.newShipper>> | undefined;
  const shop = async () => (shipper ??= await api.newShipper('shop'));
  const call = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) =>
    await (
      await shop()
    )(method, url, body);
  const create = async (body: unknown) => await call('POST', '/v2/consignments', body);
  const created = async (changes: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    api.state.answering = accepts();
    const order = least(changes);
    const { statusCode, body } = await create(order);
    expect(statusCode, body).toBe(200);
    return referenceOf(order);
  };
  const pickUp = async (ref: string): Promise<void> => {
    await api.database.pool.query(
      `update packages set status = 'Order Picked Up'
     where consignment_id in (select id from consignments where reference_number = $1)`,
      [ref],
    );
  };
  const cancel = async (...references: string[]) =>
    await call('POST', '/v2/consignments-cancel', {
      consignments: references.map((referenceNumber) => ({ referenceNumber })),
    });
  const update = async (ref: string, fields: object = {}, rest: object = {}, url = '/api/v2/consignments') =>
    await call('PUT', url, { consignmentDetails: { referenceNumber: ref, ...fields }, ...rest });
  const read = async (ref: string) => await (await shop()).read(ref);
  const stored = async (ref: string) => {
    const { rows } = await api.database.pool.query('select order_text from consignments where reference_number = $1', [
      ref,
    ]);
    return JSON.parse(rows[0].order_text);
  };
  /** Everything the carrier is sent from now on. */
  const atCarrier = (): { operation: string; consignment: Consignment }[] => {
    const sent: { operation: string; consignment: Consignment }[] = [];
    api.state.answering = (operation, consignment) => {
      sent.push({ operation, consignment });
      return operation === 'create' ? accepts()(operation, consignment) : done();
    };
    return sent;
  };
  return { api, shop, call, create, created, pickUp, cancel, update, read, stored, atCarrier };
};
