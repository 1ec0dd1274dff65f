/** What a carrier said, in a case: normalised and folded as the server does it. */
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import { formatPlace } from '../../engine/failure.ts';
import { advance, stateBefore } from '../../engine/statuses/fold.ts';
import { deduplicationKey } from '../../engine/statuses/deduplication-key.ts';
import { type Known, type Match, matchEvent, type Name, namesOf } from '../../engine/statuses/match.ts';
import { normalise, type NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { rollUp } from '../../engine/statuses/roll-up.ts';
import type { Story } from './story.ts';

/** Normalises the updates, and records each with the packages it is for. */
export const recordUpdates = (story: Story, updates: readonly StatusUpdate[]): readonly NormalisedEvent[] =>
  updates.map((update) => {
    const event = normalise(story.carrier, update, story.clock.nowMs());
    if (event.row !== undefined) story.touched.rows.add(formatPlace(event.row.place));
    for (const position of positionsOf(story, update)) record(story, position, event);
    return event;
  });

const record = (story: Story, position: number, event: NormalisedEvent): void => {
  const scope = { environment: story.environment, accountId: story.account.id };
  const { status, reason, occurredAtMs, update } = event;
  const identity = deduplicationKey(update, scope).toString('hex');
  const known = story.events.get(position) ?? [];
  if (known.some((other) => other.identity === identity)) return;
  story.events.set(position, [...known, { status, reason, occurredAtMs, identity }]);
};

/** The consignment's status, rolled up. */
export const statusOf = (story: Story): NormalisedStatus =>
  rollUp(
    Array.from(
      { length: packageCount(story) },
      (_, position) => advance(stateBefore(story.base), [], story.events.get(position) ?? []).after.status,
    ),
  );

const packageCount = ({ shipment, consignment }: Story): number => {
  const items = consignment?.['itemList'];
  return Math.max(1, shipment?.packages.length ?? 0, Array.isArray(items) ? items.length : 0);
};

const positionsOf = (story: Story, update: StatusUpdate): readonly number[] => {
  const match: Match = matchEvent(namesOf(update), (name) => knownOf(story, name));
  if (match.kind !== 'matched') return [];
  return match.position === undefined
    ? Array.from({ length: packageCount(story) }, (_, position) => position)
    : [match.position];
};

const whole = (fits: boolean): readonly (number | undefined)[] => (fits ? [undefined] : []);

const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';

/** By what the carrier may call the one consignment of the story. */
const knownOf = (story: Story, name: Name): Known => {
  const { shipment, consignment } = story;
  const packages = shipment?.packages ?? [];
  const positions = ((): readonly (number | undefined)[] => {
    switch (name.kind) {
      case 'Reference':
        return whole(text(consignment?.['referenceId']) === name.value);
      case 'Order':
        return whole(text(consignment?.['orderNumber']) === name.value);
      case 'Consignment':
        return whole(text(consignment?.['consignmentNumber']) === name.value);
      case 'Tracking': {
        const own = packages.flatMap(({ trackingNumber }, at) => (trackingNumber === name.value ? [at] : []));
        return own.length > 0 ? own : whole(shipment?.trackingNumber === name.value);
      }
      default: {
        const own = packages.flatMap(({ memo }, at) => (text(memo[name.kind]) === name.value ? [at] : []));
        return own.length > 0 ? own : whole(text(shipment?.memo[name.kind]) === name.value);
      }
    }
  })();
  const awaitsNumbers = packages.length === 0 || packages.some(({ trackingNumber }) => trackingNumber === undefined);
  const candidates = positions.map((position) => ({
    consignmentId: 1,
    position,
    packageCount: packageCount(story),
    awaitsNumbers,
  }));
  return { candidates, tooMany: false, goneFrom: [] };
};
