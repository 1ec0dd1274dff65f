/** Where a status stands in the lifecycle. Later stages are never left for earlier ones by a late event. */
type Stage = 'created' | 'picked_up' | 'moving' | 'out_for_delivery' | 'ended';

interface StatusFacts {
  readonly stage: Stage;
  /** The status of the specification's lifecycle that this one refines; itself for the eight of the specification. */
  readonly parent: string;
  readonly terminal: boolean;
}

const facts = (stage: Stage, parent: string, terminal = false): StatusFacts => ({ stage, parent, terminal });

/** Normalised statuses: the eight of the carrier contract by its names, then ours, each with its parent. */
const STATUSES = {
  'Order Created': facts('created', 'Order Created'),
  'Order Picked Up': facts('picked_up', 'Order Picked Up'),
  'In Transit': facts('moving', 'In Transit'),
  'At Facility': facts('moving', 'At Facility'),
  'Out for Delivery': facts('out_for_delivery', 'Out for Delivery'),
  'Order Delivered': facts('ended', 'Order Delivered', true),
  'Delivery Failed': facts('out_for_delivery', 'Delivery Failed'),
  'Returned to Origin': facts('ended', 'Returned to Origin', true),
  'Label Generated': facts('created', 'Order Created'),
  'Pickup Scheduled': facts('created', 'Order Created'),
  'Pickup Failed': facts('created', 'Order Created'),
  'Customs Hold': facts('moving', 'In Transit'),
  'Customs Cleared': facts('moving', 'In Transit'),
  Delayed: facts('moving', 'In Transit'),
  'On Hold': facts('moving', 'In Transit'),
  'Delivery Rescheduled': facts('out_for_delivery', 'Delivery Failed'),
  'En Route': facts('out_for_delivery', 'Out for Delivery'),
  Arrived: facts('out_for_delivery', 'Out for Delivery'),
  'Ready for Collection': facts('out_for_delivery', 'Out for Delivery'),
  'Partially Delivered': facts('out_for_delivery', 'Out for Delivery'),
  Damaged: facts('moving', 'Delivery Failed'),
  Lost: facts('ended', 'Delivery Failed', true),
  'Return Initiated': facts('out_for_delivery', 'Delivery Failed'),
  'Return in Transit': facts('out_for_delivery', 'In Transit'),
  Cancelled: facts('ended', 'Order Created', true),
  Unmapped: facts('created', 'Order Created'),
} as const satisfies Record<string, StatusFacts>;

export type NormalisedStatus = keyof typeof STATUSES;
export const NORMALISED_STATUSES = Object.keys(STATUSES) as readonly NormalisedStatus[];

/** What a row of a status table may name: a normalised status, or `No Change`. */
export const NO_CHANGE = 'No Change';
export type TableStatus = NormalisedStatus | typeof NO_CHANGE;

export const REASONS = [
  'NOT_HOME',
  'REFUSED',
  'ADDRESS',
  'ACCESS',
  'CLOSED',
  'DAMAGED',
  'LOST',
  'CUSTOMS',
  'WEATHER',
  'PAYMENT',
  'IDENTITY',
  'CAPACITY',
  'CARRIER',
  'OTHER',
] as const;
export type Reason = (typeof REASONS)[number];

export const isTerminal = (status: NormalisedStatus): boolean => STATUSES[status].terminal;
export const parentOf = (status: NormalisedStatus): NormalisedStatus => STATUSES[status].parent as NormalisedStatus;

/** Dispatched in the specification's sense: any status from `Order Picked Up` on. */
export const isDispatched = (status: NormalisedStatus): boolean =>
  STATUSES[status].stage !== 'created' && status !== 'Cancelled';

const STAGE_ORDER: Readonly<Record<Stage, number>> = {
  created: 0,
  picked_up: 1,
  moving: 2,
  out_for_delivery: 3,
  ended: 4,
};
export const stageOf = (status: NormalisedStatus): number => STAGE_ORDER[STATUSES[status].stage];
