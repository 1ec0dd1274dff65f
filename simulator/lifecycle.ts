// The stages of a delivery and the usual ways through them. Words: the carrier contract's lifecycle statuses.

const stages = [
  'SHIPMENT_CREATED',
  'PICKED_UP',
  'IN_TRANSIT',
  'AT_HUB',
  'AT_FACILITY',
  'OUT_FOR_DELIVERY',
  'DELIVERED',
  'DELIVERY_FAILED',
  'RETURNED_TO_ORIGIN',
] as const;

export type Stage = (typeof stages)[number];

const onTheWay = ['SHIPMENT_CREATED', 'PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'AT_FACILITY', 'OUT_FOR_DELIVERY'] as const;

export const journeys = {
  delivered: [...onTheWay, 'DELIVERED'],
  second_try: [...onTheWay, 'DELIVERY_FAILED', 'OUT_FOR_DELIVERY', 'DELIVERED'],
  returned: [...onTheWay, 'DELIVERY_FAILED', 'RETURNED_TO_ORIGIN'],
} as const satisfies Record<string, readonly Stage[]>;

export type Journey = keyof typeof journeys;

export function isStage(text: unknown): text is Stage {
  return stages.some((stage) => stage === text);
}

export function isJourney(text: unknown): text is Journey {
  return typeof text === 'string' && Object.hasOwn(journeys, text);
}

const atOrigin: ReadonlySet<Stage> = new Set<Stage>([
  'SHIPMENT_CREATED',
  'PICKED_UP',
  'IN_TRANSIT',
  'AT_HUB',
  'RETURNED_TO_ORIGIN',
]);

/** At which end of the way a stage happens. */
export function placeOf(stage: Stage): 'origin' | 'destination' {
  return atOrigin.has(stage) ? 'origin' : 'destination';
}
