import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  NORMALISED_STATUSES,
  type NormalisedStatus,
  stageOf,
  type TableStatus,
} from '../../../src/engine/statuses/status.ts';
import {
  advance,
  compareEvents,
  type FoldEvent,
  foldEvents,
  mayFollow,
  stateBefore,
} from '../../../src/engine/statuses/fold.ts';

const CREATED = stateBefore('Order Created');
const event = (
  status: TableStatus,
  occurredAtMs: number,
  deduplicationKey = `${status}@${occurredAtMs}`,
): FoldEvent => ({
  status,
  reason: undefined,
  occurredAtMs,
  deduplicationKey,
});
/** The status after statuses that happened one after another. */
const after = (...statuses: readonly TableStatus[]): NormalisedStatus =>
  foldEvents(
    CREATED,
    statuses.map((status, at) => event(status, at)),
  ).status;

describe('The status of a package', () => {
  it('is Order Created before any event', () => {
    expect(after()).toBe('Order Created');
  });

  it('is that of the last event, also one of an earlier stage', () => {
    expect(after('Order Picked Up', 'In Transit', 'Out for Delivery')).toBe('Out for Delivery');
    expect(after('Out for Delivery', 'Delivery Failed', 'At Facility')).toBe('At Facility');
    expect(after('Delivery Failed', 'Out for Delivery')).toBe('Out for Delivery');
  });

  it('is not moved by what is unmapped or changes nothing', () => {
    expect(after('In Transit', 'Unmapped', 'No Change')).toBe('In Transit');
    expect(after('Unmapped')).toBe('Order Created');
  });

  it('is not moved by an announcement once the carrier has it', () => {
    for (const status of ['Order Created', 'Label Generated', 'Pickup Scheduled', 'Pickup Failed'] as const) {
      expect(after('Pickup Scheduled', status)).toBe(status);
      expect(after('Order Picked Up', status)).toBe('Order Picked Up');
    }
  });

  it('keeps the latest reason and moment of a status that comes again', () => {
    const state = foldEvents(CREATED, [
      { ...event('Delivery Failed', 1), reason: 'NOT_HOME' },
      { ...event('Delivery Failed', 2), reason: 'REFUSED' },
    ]);
    expect(state).toEqual({ status: 'Delivery Failed', reason: 'REFUSED', atMs: 2 });
  });

  it('keeps a return in sight while it moves', () => {
    expect(after('In Transit', 'Return Initiated', 'In Transit', 'At Facility')).toBe('Return Initiated');
    expect(after('Return in Transit', 'Out for Delivery')).toBe('Out for Delivery');
    expect(after('Return Initiated', 'Return in Transit', 'Returned to Origin')).toBe('Returned to Origin');
    expect(after('Return Initiated', 'Order Delivered')).toBe('Order Delivered');
  });
});

describe('A terminal status', () => {
  const found: readonly NormalisedStatus[] = [
    'Order Picked Up',
    'In Transit',
    'At Facility',
    'Out for Delivery',
    'Order Delivered',
    'Delivery Failed',
    'Returned to Origin',
    'Customs Hold',
    'Customs Cleared',
    'Delivery Rescheduled',
    'En Route',
    'Arrived',
    'Ready for Collection',
    'Partially Delivered',
    'Damaged',
    'Return Initiated',
    'Return in Transit',
  ];
  const follows: Readonly<Record<string, readonly NormalisedStatus[]>> = {
    'Order Delivered': ['Return Initiated', 'Return in Transit', 'Returned to Origin'],
    'Returned to Origin': [],
    Lost: found,
    Cancelled: found,
  };

  it('is one of four', () => {
    expect(NORMALISED_STATUSES.filter(isTerminal).toSorted()).toEqual(Object.keys(follows).toSorted());
  });

  it.each(Object.entries(follows))('%s is left only by %j', (from, allowed) => {
    const may = NORMALISED_STATUSES.filter((to) => mayFollow(from as NormalisedStatus, to));
    expect(may.toSorted()).toEqual([...allowed].toSorted());
  });

  it('stays through what comes after it', () => {
    expect(after('Order Delivered', 'In Transit', 'Delivery Failed', 'Cancelled')).toBe('Order Delivered');
    expect(after('Order Delivered', 'Return Initiated', 'Returned to Origin', 'Order Delivered')).toBe(
      'Returned to Origin',
    );
    expect(after('Cancelled', 'Label Generated', 'Delayed')).toBe('Cancelled');
    expect(after('Cancelled', 'Order Picked Up', 'Order Delivered')).toBe('Order Delivered');
    expect(after('Lost', 'On Hold')).toBe('Lost');
    expect(after('Lost', 'Order Delivered')).toBe('Order Delivered');
  });
});

describe('Events of one moment', () => {
  it('count in the order of the lifecycle', () => {
    const ordered = [event('Order Delivered', 5), event('Order Picked Up', 5), event('Out for Delivery', 5)];
    expect(ordered.sort(compareEvents).map(({ status }) => status)).toEqual([
      'Order Picked Up',
      'Out for Delivery',
      'Order Delivered',
    ]);
  });

  it('and one stage count in the order of their identities, the same every time', () => {
    const two = [event('In Transit', 5, 'b'), event('At Facility', 5, 'a')];
    expect(two.toSorted(compareEvents)).toEqual(two.toReversed().toSorted(compareEvents));
  });
});

describe('A late event', () => {
  it('does not move the status back', () => {
    const { after: state, steps } = advance(CREATED, [event('Out for Delivery', 5)], [event('In Transit', 3)]);
    expect(state.status).toBe('Out for Delivery');
    expect(steps.map(({ previousStatus }) => previousStatus)).toEqual([undefined]);
  });

  it('of a terminal status is where the package went, in spite of later movement', () => {
    const { after: state, steps } = advance(CREATED, [event('In Transit', 5)], [event('Order Delivered', 3)]);
    expect(state).toMatchObject({ status: 'Order Delivered', atMs: 3 });
    expect(steps[0]?.previousStatus).toBe('In Transit');
  });
});

describe('New events', () => {
  it('are told in the order in which they happened, each with the status that it changed', () => {
    const fresh = [event('Order Delivered', 9), event('In Transit', 3), event('Order Picked Up', 1)];
    expect(
      advance(CREATED, [], fresh).steps.map(({ event: { status }, previousStatus }) => [previousStatus, status]),
    ).toEqual([
      ['Order Created', 'Order Picked Up'],
      ['Order Picked Up', 'In Transit'],
      ['In Transit', 'Order Delivered'],
    ]);
  });

  it('that are known already are none', () => {
    const known = event('In Transit', 3);
    expect(advance(CREATED, [known], [known, known]).steps).toEqual([]);
  });
});

const status = fc.constantFrom<TableStatus>(...NORMALISED_STATUSES, 'No Change');
const events = fc
  .array(fc.record({ status, occurredAtMs: fc.integer({ min: 0, max: 12 }), salt: fc.nat(3) }), { maxLength: 14 })
  .map((list) =>
    list.map(({ status: name, occurredAtMs, salt }) => event(name, occurredAtMs, `${name}@${occurredAtMs}#${salt}`)),
  )
  .map((list) => [...new Map(list.map((one) => [one.deduplicationKey, one])).values()]);

describe('In whatever order and how often events come', () => {
  it('the package ends in the same state, 1,000 times shuffled and each five times', () => {
    const shuffled = events.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray([...list, ...list, ...list, ...list, ...list], { minLength: list.length * 5 }),
        fc.integer({ min: 1, max: 7 }),
      ),
    );
    fc.assert(
      fc.property(
        shuffled,
        fc.constantFrom('Order Created' as const, 'Cancelled' as const),
        ([list, arrivals, size], base) => {
          const start = stateBefore(base);
          const expected = foldEvents(start, list.toSorted(compareEvents));
          const known = new Map<string, FoldEvent>();
          let state = start;
          for (let at = 0; at < arrivals.length; at += size) {
            const push = arrivals.slice(at, at + size);
            const fresh = push.filter(({ deduplicationKey }) => !known.has(deduplicationKey));
            state = advance(start, [...known.values()], fresh).after;
            for (const one of fresh) known.set(one.deduplicationKey, one);
          }
          expect(state).toEqual(list.length === 0 ? start : expected);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('a late one never brings a status of an earlier stage', () => {
    fc.assert(
      fc.property(events, status, fc.nat(12), (known, name, lateMs) => {
        const before = foldEvents(CREATED, known.toSorted(compareEvents));
        fc.pre(before.atMs !== undefined && lateMs < before.atMs);
        const { after: state } = advance(CREATED, known, [event(name, lateMs, 'late')]);
        expect(stageOf(state.status)).toBeGreaterThanOrEqual(stageOf(before.status));
      }),
      { numRuns: 2_000 },
    );
  });

  it('the steps of new events lead from the state before to the state after', () => {
    fc.assert(
      fc.property(events, events, (known, fresh) => {
        const { after: state, steps } = advance(CREATED, known, fresh);
        const before = foldEvents(CREATED, known.toSorted(compareEvents));
        const changes = steps.filter(({ previousStatus }) => previousStatus !== undefined);
        if (changes.length === 0) expect(state).toEqual(before);
        else expect(changes[0]?.previousStatus).toBe(before.status);
      }),
    );
  });
});
