/** Pushes statuses to those whose tasks they are about, until they are confirmed: of one task one after another, and to each link for itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../engine/failure.ts';
import { statusTokenOf, type Target } from '../contract/links.ts';
import { startLoop } from '../loop.ts';
import type { FleetDeps } from '../ports.ts';

const LOOK_EVERY_MS = 1_000;
/** To one link: whoever answers slowly keeps only their own statuses waiting. */
const AT_ONCE = 16;
/** To all of them. */
const AT_ONCE_IN_ALL = 64;
/** The contract gives the platform so long. */
const TIMEOUT_MS = 30_000;
/** Whoever claimed it and has not sent it by then has died. */
const LEASE_MS = 60_000;
const AGAIN_MS = 1_000;
const AGAIN_MOST_MS = 300_000;

interface Push extends Target {
  readonly id: number;
  readonly linkId: number;
  readonly body: unknown;
  readonly tries: number;
}

type Deps = Pick<FleetDeps, 'database' | 'send' | 'open' | 'log'>;

export const startOutbox = (deps: Deps): { close(): Promise<void> } => {
  const outbox = createOutbox(deps);
  const loop = startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => {
      const isBusy = await outbox.begin();
      await outbox.oneHasEnded(LOOK_EVERY_MS);
      return isBusy;
    },
    log: deps.log,
    failure: 'statuses of the fleet could not be pushed',
  });
  return {
    close: async () => {
      await loop.close();
      await outbox.allHaveEnded();
    },
  };
};

/** Sends what is due, until nothing is. */
export const pushDue = async (deps: Deps): Promise<void> => {
  const outbox = createOutbox(deps);
  while (await outbox.begin()) await outbox.oneHasEnded(TIMEOUT_MS);
};

const createOutbox = (deps: Deps) => {
  const underWay = new Map<Promise<void>, Push>();
  const send = (push: Push): void => {
    const sending = sendOne(deps, push)
      .catch((error: unknown) => deps.log.warn({ push: push.id, error: messageOf(error) }, 'a push is tried again'))
      .finally(() => underWay.delete(sending));
    underWay.set(sending, push);
  };
  return {
    /** Begins to send what is due. False: nothing was, nor under way before, so that nothing has become due meanwhile. */
    begin: async (): Promise<boolean> => {
      const busy = [...underWay.values()].map(({ linkId }) => linkId);
      const known = [...underWay.values()].map(({ id }) => id);
      const due = await deps.database.all<Push>`
        update fleet.outbox set due_at = now() + ${LEASE_MS} * interval '1 millisecond', tries = tries + 1
        from fleet.links l where l.id = link_id and outbox.id in (
          select next.id from fleet.links l
          left join (select link, count(*) from unnest(${busy}::bigint[]) as link group by link) busy on busy.link = l.id
          cross join lateral (
            select o.id from fleet.outbox o where o.link_id = l.id and o.sent_at is null and o.due_at <= now()
              and not (o.id = any(${known}::bigint[]))
              and not exists (select from fleet.outbox e where e.task_id = o.task_id and e.sent_at is null and e.id < o.id)
            order by o.id limit greatest(0, ${AT_ONCE} - coalesce(busy.count, 0)) for update skip locked) next
          order by coalesce(busy.count, 0), next.id limit greatest(0, ${AT_ONCE_IN_ALL}::bigint - ${busy.length}))
        returning outbox.id, link_id, body, tries, name, status_url, status_token`;
      for (const push of due) send(push);
      return busy.length + due.length > 0;
    },
    oneHasEnded: async (waitMs: number): Promise<void> => {
      if (underWay.size === 0) return;
      const stop = new AbortController();
      await Promise.race([...underWay.keys(), sleep(waitMs, undefined, { signal: stop.signal, ref: false })]).finally(
        () => stop.abort(),
      );
    },
    allHaveEnded: async (): Promise<void> => void (await Promise.all(underWay.keys())),
  };
};

const sendOne = async (deps: Deps, push: Push): Promise<void> => {
  const { id, tries } = push;
  const problem = await trySending(deps, push).catch((error: unknown) => messageOf(error));
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
const trySending = async (deps: Deps, push: Push): Promise<string | undefined> => {
  const outcome = await deps.send(
    {
      method: 'POST',
      url: push.statusUrl,
      headers: { Authorization: `Bearer ${statusTokenOf(deps, push)}`, 'Content-Type': 'application/json' },
      body: Buffer.from(JSON.stringify(push.body)),
    },
    { timeoutMs: TIMEOUT_MS, maxBytes: 65_536 },
  );
  if (outcome.kind !== 'answer') return `${outcome.code}: ${outcome.message}`;
  return outcome.status === 200 ? undefined : `answered ${outcome.status}: ${outcome.body.toString().slice(0, 200)}`;
};
