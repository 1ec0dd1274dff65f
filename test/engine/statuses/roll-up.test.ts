import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal, NORMALISED_STATUSES, type NormalisedStatus } from '../../../src/engine/statuses/status.ts';
import { rollUp } from '../../../src/engine/statuses/fold.ts';

const rows: [NormalisedStatus[], NormalisedStatus][] = [
  [['In Transit'], 'In Transit'],
  [['Order Delivered', 'Order Delivered'], 'Order Delivered'],
  [['Order Delivered', 'In Transit'], 'Partially Delivered'],
  [['Order Delivered', 'Lost'], 'Partially Delivered'],
  [['Order Delivered', 'Delivery Failed'], 'Partially Delivered'],
  [['Order Delivered', 'Cancelled'], 'Order Delivered'],
  [['Partially Delivered', 'In Transit'], 'Partially Delivered'],
  [['Cancelled', 'Cancelled'], 'Cancelled'],
  [['Cancelled', 'In Transit'], 'In Transit'],
  [['Lost', 'Returned to Origin'], 'Lost'],
  [['Returned to Origin', 'Returned to Origin'], 'Returned to Origin'],
  [['Returned to Origin', 'Cancelled'], 'Returned to Origin'],
  [['Lost', 'In Transit'], 'Delivery Failed'],
  [['Returned to Origin', 'In Transit'], 'In Transit'],
  [['Order Created', 'Order Picked Up'], 'Order Created'],
  [['Out for Delivery', 'Order Picked Up', 'At Facility'], 'Order Picked Up'],
  [['At Facility', 'In Transit'], 'In Transit'],
  [['Order Created', 'Label Generated'], 'Order Created'],
  [['Delivery Failed', 'In Transit'], 'Delivery Failed'],
  [['Delivery Failed', 'Damaged'], 'Damaged'],
  [['Delayed', 'Out for Delivery'], 'Delayed'],
  [['Customs Hold', 'Delayed', 'Order Picked Up'], 'Customs Hold'],
  [['Pickup Failed', 'Order Created'], 'Pickup Failed'],
];

describe("A consignment's status", () => {
  it.each(rows)('of %j is %s', (statuses, expected) => {
    expect(rollUp(statuses)).toBe(expected);
  });

  const some = fc.array(fc.constantFrom(...NORMALISED_STATUSES), { minLength: 1, maxLength: 6 });

  it('does not depend on the order of its packages', () => {
    fc.assert(
      fc.property(some, (statuses) => {
        expect(rollUp(statuses.toReversed())).toBe(rollUp(statuses));
        expect(rollUp(statuses.toSorted())).toBe(rollUp(statuses));
      }),
    );
  });

  it('is terminal only when every package is', () => {
    fc.assert(
      fc.property(some, (statuses) => {
        if (isTerminal(rollUp(statuses))) expect(statuses.every(isTerminal)).toBe(true);
      }),
    );
  });
});
