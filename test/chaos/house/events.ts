/** Lives of parcels as carriers push them: each event a time of its own, the last one says what is to come of it. */
const STARTS = ['PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'OUT_FOR_DELIVERY'] as const;
const ENDS: Readonly<Record<string, string>> = {
  DELIVERED: 'Order Delivered',
  RETURNED_TO_ORIGIN: 'Returned to Origin',
  DELIVERY_FAILED: 'Delivery Failed',
  OUT_FOR_DELIVERY: 'Out for Delivery',
};

export interface Life {
  readonly events: readonly Readonly<Record<string, string>>[];
  /** Normalised, once all of it is known. */
  readonly endsAs: string;
}

export const lifeOf = (trackingNumber: string, events: number, random: () => number): Life => {
  const names = Object.keys(ENDS);
  const end = names[Math.floor(random() * names.length)] ?? 'DELIVERED';
  const codes = Array.from({ length: events - 1 }, (_, at) => STARTS[at % STARTS.length] ?? 'IN_TRANSIT');
  return {
    endsAs: ENDS[end] ?? '',
    events: [...codes, end].map((carrierStatusCode, at) => ({
      type: 'Tracking',
      value: trackingNumber,
      carrierStatusCode,
      statusReceivedAt: `2026-05-${String(1 + at).padStart(2, '0')} 10:00:00`,
      eventTimezone: 'Europe/Berlin',
    })),
  };
};
