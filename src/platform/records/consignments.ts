import type { Pool, PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';

export type Acceptance = 'pending' | 'accepted' | 'rejected' | 'cancelled';

export interface PackageRecord {
  readonly position: number;
  readonly reference: string;
  readonly trackingNumber: string | undefined;
  readonly status: NormalisedStatus;
  readonly reason: string | undefined;
  readonly statusAtMs: number | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
}

export interface ConsignmentRecord {
  readonly id: number;
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly consignmentType: 'FORWARD' | 'REVERSE';
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  /** JSON: the shipper's order as last accepted. */
  readonly orderText: string;
  /** JSON: the canonical consignment as last accepted. */
  readonly canonicalText: string;
  readonly acceptance: Acceptance;
  readonly status: NormalisedStatus;
  readonly masterTrackingNumber: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly packages: readonly PackageRecord[];
}

interface Row {
  id: number;
  shipper_id: number;
  environment: EnvironmentName;
  reference_number: string;
  order_number: string;
  consignment_number: string;
  consignment_type: 'FORWARD' | 'REVERSE';
  order_types: string[];
  carrier_code: string;
  account_id: number | null;
  order_text: string;
  canonical: string;
  acceptance: Acceptance;
  status: NormalisedStatus;
  master_tracking_number: string | null;
  memo: string;
  created_at: Date;
  updated_at: Date;
}

interface PackageRow {
  position: number;
  reference: string;
  tracking_number: string | null;
  status: NormalisedStatus;
  reason: string | null;
  status_at: Date | null;
  memo: string;
}

const COLUMNS = `id, shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
  order_types, carrier_code, account_id, order_text, canonical, acceptance, status, master_tracking_number, memo,
  created_at, updated_at`;

const parseMemo = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

const packageOf = (row: PackageRow): PackageRecord => ({
  position: row.position,
  reference: row.reference,
  trackingNumber: row.tracking_number ?? undefined,
  status: row.status,
  reason: row.reason ?? undefined,
  statusAtMs: row.status_at?.getTime(),
  memo: parseMemo(row.memo),
});

type Client = Pool | PoolClient;

const withPackages = async (client: Client, row: Row): Promise<ConsignmentRecord> => {
  const packages = await client.query<PackageRow>(
    `select position, reference, tracking_number, status, reason, status_at, memo
     from packages where consignment_id = $1 order by position`,
    [row.id],
  );
  return {
    id: row.id,
    shipperId: row.shipper_id,
    environment: row.environment,
    referenceNumber: row.reference_number,
    orderNumber: row.order_number,
    consignmentNumber: row.consignment_number,
    consignmentType: row.consignment_type,
    orderTypes: row.order_types,
    carrierCode: row.carrier_code,
    accountId: row.account_id ?? undefined,
    orderText: row.order_text,
    canonicalText: row.canonical,
    acceptance: row.acceptance,
    status: row.status,
    masterTrackingNumber: row.master_tracking_number ?? undefined,
    memo: parseMemo(row.memo),
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
    packages: packages.rows.map(packageOf),
  };
};

/** The shipper's consignment of this reference that is not released; of another shipper's it answers like none. */
export const findConsignment = async (
  client: Client,
  shipperId: number,
  environment: EnvironmentName,
  referenceNumber: string,
): Promise<ConsignmentRecord | undefined> => {
  const { rows } = await client.query<Row>(
    `select ${COLUMNS} from consignments
     where shipper_id = $1 and environment = $2 and reference_number = $3 and released_at is null`,
    [shipperId, environment, referenceNumber],
  );
  return rows[0] === undefined ? undefined : await withPackages(client, rows[0]);
};

export const findConsignmentById = async (client: Client, id: number): Promise<ConsignmentRecord | undefined> => {
  const { rows } = await client.query<Row>(`select ${COLUMNS} from consignments where id = $1`, [id]);
  return rows[0] === undefined ? undefined : await withPackages(client, rows[0]);
};

/** As `findConsignmentById`, and nobody else changes it until the transaction ends. */
export const lockConsignment = async (client: PoolClient, id: number): Promise<ConsignmentRecord | undefined> => {
  const { rows } = await client.query<Row>(`select ${COLUMNS} from consignments where id = $1 for update`, [id]);
  return rows[0] === undefined ? undefined : await withPackages(client, rows[0]);
};

/** The root `shipment` (§2.8): what the carrier gave us. */
export const shipmentOf = (record: ConsignmentRecord): Record<string, unknown> => ({
  trackingNumber: record.masterTrackingNumber ?? record.packages[0]?.trackingNumber,
  memo: record.memo,
  packages: record.packages.map(({ reference, trackingNumber, memo }) => ({
    itemReferenceNumber: reference,
    trackingNumber,
    memo,
  })),
});

export const canonicalOf = (record: ConsignmentRecord): Consignment => JSON.parse(record.canonicalText) as Consignment;
