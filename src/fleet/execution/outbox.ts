/** Pushes statuses to those whose tasks they are about, until they are confirmed: of one task one after another. */
import { messageOf } from '../../engine/failure.ts';
import { targetOf } from '../contract/links.ts';
import { startLoop } from '../loop.ts';
import type { FleetDeps } from '../ports.ts';

const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 16;
/** The contract gives the platform so long. */
const TIMEOUT_MS = 30_000;
/** Whoever claimed it and has not sent it by then has died. */
const LEASE_MS = 60_000;
const AGAIN_MS = 1_000;
const AGAIN_MOST_MS = 300_000;

interface Push {
  readonly id: number;
  readonly linkId: number;
  readonly body: unknown;
  readonly tries: number;
}

type Deps = Pick<FleetDeps, 'database' | 'send' | 'open' | 'log'>;

export const startOutbox = (deps: Deps) =>
  startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => await pushDue(deps),
    log: deps.log,
    failure: 'statuses of the fleet could not be pushed',
  });

/** Yields whether there may be more. */
export const pushDue = async (deps: Deps): Promise<boolean> => {
  const due = await deps.database.all<Push>`
    update fleet.outbox set due_at = now() + ${LEASE_MS} * interval '1 millisecond', tries = tries + 1
    where id in (
      select o.id from fleet.outbox o where o.sent_at is null and o.due_at <= now()
        and not exists (select from fleet.outbox e where e.task_id = o.task_id and e.sent_at is null and e.id < o.id)
      order by o.id limit ${AT_ONCE} for update skip locked)
    returning id, link_id, body, tries`;
  await Promise.all(due.map(async (push) => await sendOne(deps, push)));
  return due.length > 0;
};

const sendOne = async (deps: Deps, { id, linkId, body, tries }: Push): Promise<void> => {
  const problem = await trySending(deps, linkId, body).catch((error: unknown) => messageOf(error));
  if (problem === undefined) {
    await deps.database.run`update fleet.outbox set sent_at = now(), problem = null where id = ${id}`;
    return;
  }
  const waitMs = Math.min(AGAIN_MS * 2 ** Math.min(tries - 1, 20), AGAIN_MOST_MS);
  await deps.database.run`
    update fleet.outbox set due_at = now() + ${waitMs} * interval '1 millisecond', problem = ${problem.slice(0, 500)} where id = ${id}`;
  deps.log.warn({ push: id, tries, problem }, 'a status of the fleet was not taken; it is pushed again');
};

/** Undefined: it was confirmed. */
const trySending = async (deps: Deps, linkId: number, body: unknown): Promise<string | undefined> => {
  const { statusUrl, statusToken } = await targetOf(deps, linkId);
  const outcome = await deps.send(
    {
      method: 'POST',
      url: statusUrl,
      headers: { Authorization: `Bearer ${statusToken}`, 'Content-Type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    },
    { timeoutMs: TIMEOUT_MS, maxBytes: 65_536 },
  );
  if (outcome.kind !== 'answer') return `${outcome.code}: ${outcome.message}`;
  return outcome.status === 200 ? undefined : `answered ${outcome.status}: ${outcome.body.toString().slice(0, 200)}`;
};
