/** Scenarios of what carriers say: twice, in the wrong order, or in words that nobody knows. */
import type { StatusUpdate } from '../../../engine/statuses/status-update.ts';
import { isTerminal, type NormalisedStatus, NO_CHANGE, stageOf } from '../../../engine/statuses/status.ts';
import type { Carrier, StatusRow } from '../../../engine/profile/carrier.ts';
import { normalise, type NormalisedEvent } from '../../../engine/statuses/normalise.ts';
import { recordUpdates, statusOf } from '../events.ts';
import type { Story } from '../story.ts';
import { baseCase, begin, Pending, type Scenario, scenariosAt, type Stage } from './stage.ts';

const NUMBER = 'PACK-1';
const HOUR_MS = 3_600_000;

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

/** One row for each status of the table that moves a package on, earliest first. */
const stagesOf = ({ carrier }: Stage) => {
  const found = new Map<NormalisedStatus, StatusUpdate>();
  for (const row of carrier.statuses.table) {
    const { status } = row;
    const update = updateFor(carrier, row);
    if (status === NO_CHANGE || status === 'Cancelled' || status === 'Unmapped' || update === undefined) continue;
    if (!found.has(status)) found.set(status, update);
  }
  const stages = [...found].map(([status, update]) => ({ status, update }));
  return stages.sort((one, other) => stageOf(one.status) - stageOf(other.status));
};

const scenario = scenariosAt(({ statuses }) => statuses.table[0]?.place);

const eventsKept = (story: Story): number => [...story.events.values()].flat().length;

const duplicate = scenario('duplicate-status', 'a status that comes twice counts once', (stage) => {
  const [first] = stagesOf(stage);
  if (first === undefined) throw new Pending('the profile has no table of statuses');
  const story = shipped(stage);
  say(story, first.update, 1);
  const after = statusOf(story);
  say(story, first.update, 1);
  const count = eventsKept(story);
  return [
    ...(count === 1 ? [] : [`it is kept ${count} times`]),
    ...(statusOf(story) === after ? [] : [`it moves on to ${statusOf(story)}`]),
  ];
});

const outOfOrder = scenario('out-of-order-status', 'statuses in the wrong order never move back', (stage) => {
  const stages = stagesOf(stage);
  const last = stages.findLast(({ status }) => isTerminal(status)) ?? stages.at(-1);
  const before = stages.filter(({ status }) => last !== undefined && stageOf(status) < stageOf(last.status));
  if (last === undefined || before.length === 0) throw new Pending('the table of statuses has no two stages');
  const story = shipped(stage);
  say(story, last.update, before.length + 1);
  const reached = statusOf(story);
  return before.toReversed().flatMap(({ status, update }, at) => {
    say(story, update, before.length - at);
    return statusOf(story) === reached ? [] : [`a late ${status} moves ${reached} to ${statusOf(story)}`];
  });
});

const UNKNOWN = 'WAYBILL-NEVER-HEARD-OF';

const unknown = scenario('unknown-status', 'a status nobody knows is kept, and moves nothing', (stage) => {
  const story = shipped(stage);
  const before = statusOf(story);
  const event = say(story, { carrierStatusCode: UNKNOWN }, 1);
  if (event?.row !== undefined) {
    const message = `the row ${event.row.key} takes any status: a new one would never be noticed`;
    return [{ message, place: event.row.place }];
  }
  const isKept = eventsKept(story) === 1 && event?.status === 'Unmapped';
  return [
    ...(isKept ? [] : ['it is not kept as Unmapped']),
    ...(statusOf(story) === before ? [] : [`it moves the consignment to ${statusOf(story)}`]),
  ];
});

export const STATUSES: readonly Scenario[] = [duplicate, outOfOrder, unknown];
