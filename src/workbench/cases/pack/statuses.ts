/** Scenarios of what carriers say: twice, in the wrong order, or in words that nobody knows. */
import type { StatusUpdate } from '../../../engine/statuses/status-update.ts';
import { isTerminal, type NormalisedStatus, NO_CHANGE, stageOf } from '../../../engine/statuses/status.ts';
import type { Place } from '../../../engine/failure.ts';
import type { Carrier, StatusRow } from '../../../engine/profile/carrier.ts';
import { normalise, type NormalisedEvent } from '../../../engine/statuses/normalise.ts';
import { recordUpdates, statusOf } from '../events.ts';
import type { Story } from '../story.ts';
import type { Scenario } from './scenario.ts';
import { baseCase, begin, Pending, type Stage } from './stage.ts';

const NUMBER = 'PACK-1';
const HOUR_MS = 3_600_000;

/** A shipment of one package that the carrier has taken. */
const shipped = (stage: Stage): Story => {
  const story = begin(stage, baseCase(stage));
  story.shipment = {
    trackingNumber: NUMBER,
    memo: {},
    packages: [{ itemReferenceNumber: 'PKG-1', trackingNumber: NUMBER, memo: {} }],
  };
  return story;
};

/** `hour`: of the event, counted from the story's begin. */
const say = (story: Story, code: Pick<StatusUpdate, 'carrierStatusCode'>, hour: number): NormalisedEvent | undefined =>
  recordUpdates(story, [
    {
      value: NUMBER,
      ...code,
      statusReceivedAt: new Date(story.clock.nowMs() + hour * HOUR_MS).toISOString(),
      eventTimezone: 'UTC',
    },
  ])[0];

/** An update that this row takes before any other. */
const updateFor = (carrier: Carrier, row: StatusRow): StatusUpdate | undefined => {
  const [code, subCode, description] = row.patterns.map((pattern) => pattern.replaceAll('*', ''));
  const update = Object.fromEntries(
    Object.entries({
      carrierStatusCode: code,
      carrierSubStatusCode: subCode,
      carrierStatusDescription: description,
    }).filter(([, text]) => text !== ''),
  );
  return normalise(carrier, update, 0).row === row ? update : undefined;
};

interface Told {
  readonly status: NormalisedStatus;
  readonly update: StatusUpdate;
}

/** One row for each status of the table that moves a package on, earliest first. */
const stagesOf = ({ carrier }: Stage): readonly Told[] => {
  const told = new Map<NormalisedStatus, Told>();
  for (const row of carrier.statuses.table) {
    const { status } = row;
    const update = updateFor(carrier, row);
    if (status === NO_CHANGE || status === 'Cancelled' || status === 'Unmapped' || update === undefined) continue;
    if (!told.has(status)) told.set(status, { status, update });
  }
  return [...told.values()].sort((one, other) => stageOf(one.status) - stageOf(other.status));
};

const placeOf = ({ carrier }: Stage): Place => carrier.statuses.table[0]?.place ?? carrier.place;

const UNKNOWN = 'WAYBILL-NEVER-HEARD-OF';

const unknown: Scenario = {
  name: 'unknown-status',
  title: 'a status nobody knows is kept, and moves nothing',
  run: (stage) => {
    const story = shipped(stage);
    const before = statusOf(story);
    const event = say(story, { carrierStatusCode: UNKNOWN }, 1);
    if (event?.row !== undefined) {
      const message = `the row ${event.row.key} takes any status: a new one would never be noticed`;
      return Promise.resolve([{ message, place: event.row.place }]);
    }
    const kept = [...story.events.values()].flat().length === 1 && event?.status === 'Unmapped';
    return Promise.resolve([
      ...(kept ? [] : [{ message: 'it is not kept as Unmapped', place: placeOf(stage) }]),
      ...(statusOf(story) === before
        ? []
        : [{ message: `it moves the consignment to ${statusOf(story)}`, place: placeOf(stage) }]),
    ]);
  },
};

const duplicate: Scenario = {
  name: 'duplicate-status',
  title: 'a status that comes twice counts once',
  run: (stage) => {
    const [told] = stagesOf(stage);
    if (told === undefined) throw new Pending('the profile has no table of statuses');
    const story = shipped(stage);
    say(story, told.update, 1);
    const after = statusOf(story);
    say(story, told.update, 1);
    const count = [...story.events.values()].flat().length;
    return Promise.resolve([
      ...(count === 1 ? [] : [{ message: `it is kept ${count} times`, place: placeOf(stage) }]),
      ...(statusOf(story) === after ? [] : [{ message: `it moves on to ${statusOf(story)}`, place: placeOf(stage) }]),
    ]);
  },
};

const outOfOrder: Scenario = {
  name: 'out-of-order-status',
  title: 'statuses in the wrong order never move back',
  run: (stage) => {
    const stages = stagesOf(stage);
    const last = stages.findLast(({ status }) => isTerminal(status)) ?? stages.at(-1);
    const before = stages.filter(({ status }) => last !== undefined && stageOf(status) < stageOf(last.status));
    if (last === undefined || before.length === 0) throw new Pending('the table of statuses has no two stages');
    const story = shipped(stage);
    say(story, last.update, before.length + 1);
    const reached = statusOf(story);
    const moved = before.toReversed().flatMap(({ status, update }, at) => {
      say(story, update, before.length - at);
      return statusOf(story) === reached
        ? []
        : [{ message: `a late ${status} moves ${reached} to ${statusOf(story)}`, place: placeOf(stage) }];
    });
    return Promise.resolve(moved);
  },
};

export const STATUSES: readonly Scenario[] = [duplicate, outOfOrder, unknown];
