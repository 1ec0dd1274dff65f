import type { TableStatus, Reason } from '../../../src/engine/statuses/status.ts';
import type { Carrier, StatusRow } from '../../../src/engine/profile/carrier.ts';

type Written = TableStatus | { readonly status: TableStatus; readonly reason: Reason };

/** Rows as a profile's `statuses.table` has them; a key has its parts between `/`, those missing are `*`. */
export const rowsOf = (table: Readonly<Record<string, Written>>): StatusRow[] =>
  Object.entries(table).map(([key, written], at) => {
    const [code = '*', subCode = '*', description = '*'] = key.split('/');
    const row = typeof written === 'string' ? { status: written, reason: undefined } : written;
    return {
      place: { file: 'carriers/example.yaml', line: at + 1, column: 1 },
      key,
      ofReturns: false,
      patterns: [code, subCode, description],
      ...row,
    };
  });

export const CONTRACT_TABLE: Readonly<Record<string, Written>> = {
  SHIPMENT_CREATED: 'Order Created',
  PICKED_UP: 'Order Picked Up',
  IN_TRANSIT: 'In Transit',
  AT_HUB: 'At Facility',
  OUT_FOR_DELIVERY: 'Out for Delivery',
  DELIVERED: 'Order Delivered',
  DELIVERY_FAILED: 'Delivery Failed',
  'DELIVERY_FAILED/NH': { status: 'Delivery Failed', reason: 'NOT_HOME' },
  RETURNED_TO_ORIGIN: 'Returned to Origin',
  PING: 'No Change',
};

export interface ExampleCarrier {
  readonly code?: string;
  readonly table?: Readonly<Record<string, Written>>;
  readonly zone?: string;
  readonly formats?: readonly string[];
  /** It can be asked. */
  readonly tracks?: boolean;
}

/** As much of a compiled carrier as status intake looks at. */
export const exampleCarrier = ({
  code = 'example',
  table = CONTRACT_TABLE,
  zone = 'UTC',
  formats = ['iso'],
  tracks = false,
}: ExampleCarrier = {}): Carrier =>
  ({
    code,
    time: { zone, formats },
    operations: tracks ? { track: {} } : {},
    statuses: { webhook: undefined, poll: undefined, table: rowsOf(table) },
  }) as unknown as Carrier;
