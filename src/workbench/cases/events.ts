/** What a carrier said, in a case: normalised and folded as the server does it. */
import { formatPlace } from '../../engine/failure.ts';
import { deduplicationKey, normalise, type NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { advance, rollUp, stateBefore } from '../../engine/statuses/fold.ts';
import { type Known, matchEvent, type Name, namesOf } from '../../engine/statuses/match.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import { itemsOf, type Story } from './story.ts';

/** Normalises the updates, and records each with the packages it is for. */
export const recordUpdates = (story: Story, updates: readonly StatusUpdate[]): readonly NormalisedEvent[] =>
  updates.map((update) => {
    const event = normalise(story.carrier, update, story.clock.nowMs(), directionOf(story));
    if (event.row !== undefined) story.touched.rows.add(formatPlace(event.row.place));
    for (const position of positionsOf(story, update)) record(story, position, event);
    return event;
  });

const record = (story: Story, position: number, { status, reason, occurredAtMs, update }: NormalisedEvent): void => {
  const scope = { environment: story.environment, accountId: story.account.id };
  const key = deduplicationKey(update, scope).toString('hex');
  const known = story.events.get(position) ?? [];
  if (known.some((other) => other.deduplicationKey === key)) return;
  story.events.set(position, [...known, { status, reason, occurredAtMs, deduplicationKey: key }]);
};

export const statusOf = (story: Story): NormalisedStatus =>
  rollUp(
    positions(story).map(
      (position) => advance(stateBefore(story.base), [], story.events.get(position) ?? []).after.status,
    ),
  );

/** Of every package, as many as are known of. */
const positions = ({ shipment, consignment }: Story): readonly number[] => {
  const length = Math.max(1, shipment?.packages.length ?? 0, itemsOf(consignment).length);
  return Array.from({ length }, (_, position) => position);
};

const positionsOf = (story: Story, update: StatusUpdate): readonly number[] => {
  const match = matchEvent(namesOf(update), (name) => knownOf(story, name));
  if (match.kind !== 'matched') return [];
  return match.position === undefined ? positions(story) : [match.position];
};

const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';

const directionOf = ({ consignment }: Story): string => text(consignment?.['typeOfOrder']);

const FIELDS = { Reference: 'referenceId', Order: 'orderNumber', Consignment: 'consignmentNumber' } as const;

/** By what the carrier may call the one consignment of the story. */
const knownOf = (story: Story, { kind, value }: Name): Known => {
  const { shipment, consignment } = story;
  const packages = shipment?.packages ?? [];
  const numberOf = (one: typeof shipment | (typeof packages)[number]): string =>
    kind === 'Tracking' ? (one?.trackingNumber ?? '') : text(one?.memo[kind]);
  const field = Object.hasOwn(FIELDS, kind) ? FIELDS[kind as keyof typeof FIELDS] : undefined;
  const own = field === undefined ? packages.flatMap((one, at) => (numberOf(one) === value ? [at] : [])) : [];
  const isWhole = (field === undefined ? numberOf(shipment) : text(consignment?.[field])) === value;
  const found = own.length > 0 ? own : isWhole ? [undefined] : [];
  const awaitsNumbers = packages.length === 0 || packages.some(({ trackingNumber }) => trackingNumber === undefined);
  const packageCount = positions(story).length;
  const direction = directionOf(story);
  const candidates = found.map((position) => ({ consignmentId: 1, position, packageCount, direction, awaitsNumbers }));
  return { candidates, tooMany: false, goneFrom: [] };
};
