/** Consignments that wait at a facility, or that are named, for what concerns many of them. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { isDispatched, NORMALISED_STATUSES, type NormalisedStatus } from '../../engine/statuses/status.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { queryAll, type Queryable, sql } from './sql.ts';

export interface HandedOver {
  readonly id: number;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly acceptance: 'pending' | 'accepted' | 'rejected' | 'cancelled';
  readonly status: NormalisedStatus;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly order: Order;
  readonly consignment: Consignment;
  readonly masterTrackingNumber: string | undefined;
  /** In their order. */
  readonly packages: readonly {
    readonly position: number;
    readonly reference: string;
    readonly trackingNumber: string | null;
    readonly memo: Readonly<Record<string, unknown>>;
  }[];
}

const BEFORE_PICKUP = NORMALISED_STATUSES.filter((status) => !isDispatched(status) && status !== 'Cancelled');
const MOST = 1_000;
/** Orders are not made earlier before they ship. */
const AHEAD_DAYS = 90;

/** Whether it waits to be picked up still. */
export const isWaiting = ({ acceptance, status }: Pick<HandedOver, 'acceptance' | 'status'>): boolean =>
  (acceptance === 'accepted' || acceptance === 'pending') && BEFORE_PICKUP.includes(status);

/** By their references, however they stand; or those that ship from a facility on a day and have not been picked up. */
export const findHandedOver = async (
  client: Queryable,
  owner: Owner,
  by:
    | { readonly references: readonly string[] }
    | { readonly carrierCode: string; readonly facilityCode: string; readonly day: string },
): Promise<readonly HandedOver[]> =>
  await queryAll<HandedOver>(client)`
    select c.id, reference_number, carrier_code, acceptance, status, memo::json as memo, master_tracking_number,
      order_text::json as order, canonical::json as consignment,
      (select json_agg(json_build_object('position', position, 'reference', reference, 'trackingNumber', tracking_number,
          'memo', memo::json) order by position)
        from packages where consignment_id = c.id) as packages
    from consignments c where ${ownedBy(owner)} and released_at is null and ${
      'references' in by
        ? sql`reference_number = any (${by.references}::text[])`
        : sql`status = any (${BEFORE_PICKUP}::text[]) and acceptance in ('pending', 'accepted')
            and created_at > ${by.day}::date - ${AHEAD_DAYS}::int and carrier_code = ${by.carrierCode}
            and canonical::json ->> 'originCode' = ${by.facilityCode}
            and left(canonical::json ->> 'shippingDateTime', 10) = ${by.day}`
    }
    order by c.id limit ${MOST}`;
