/** For operators: what needs a look, and how carriers have answered in the last day. */
import { countHeldByCarrier, listActivity } from '../records/activity.ts';
import { countFailedLabels } from '../records/failed-labels.ts';
import { countUnsettled } from '../records/push-log.ts';
import { Activity } from './console-shapes.ts';
import type { ApiDeps } from './deps.ts';
import { ok } from './http-answer.ts';
import { type AddRoutes, routesOf } from './route.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** However many consoles are open, the records are asked once in so long. */
const KEPT_MS = 5_000;

const NOTHING = { succeeded: 0, rejected: 0, failed: 0 };

export const addActivityRoutes: AddRoutes = (scope, deps) => {
  let kept: { readonly untilMs: number; readonly activity: Promise<unknown> } | undefined;
  routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const)('GET /admin/activity', {
    id: 'readActivity',
    role: 'read',
    summary: 'What needs a look, and how carriers have answered in the last 24 hours',
    description: `At most ${KEPT_MS / 1_000} seconds old.`,
    reply: [Activity, 'As of now.'],
    handle: async () => {
      if (kept === undefined || kept.untilMs <= deps.nowMs()) {
        const activity = readActivity(deps);
        // Who asks while it is read waits for the same.
        kept = { untilMs: Infinity, activity };
        activity.then(
          () => (kept = { untilMs: deps.nowMs() + KEPT_MS, activity }),
          () => (kept = undefined),
        );
      }
      return ok(await kept.activity);
    },
  });
};

const readActivity = async ({ pool, nowMs, carriers }: ApiDeps) => {
  const since = new Date(nowMs() - HOURS * HOUR_MS);
  const [active, held, failedLabels, pushes] = await Promise.all([
    listActivity(pool, since),
    countHeldByCarrier(pool),
    countFailedLabels(pool),
    countUnsettled(pool),
  ]);
  const byCode = new Map(active.map((one) => [one.carrierCode, one]));
  return {
    since,
    heldDispatches: [...held.values()].reduce((sum, count) => sum + count, 0),
    failedLabels,
    pushes,
    carriers: carriers.list().map(({ code, name }) => {
      const own = byCode.get(code);
      const hours = Array.from({ length: HOURS }, (_, at) => {
        const { hour: _hour, ...counted } = own?.hours.find(({ hour }) => hour === at) ?? { hour: at, ...NOTHING };
        return counted;
      });
      const { succeeded, rejected, failed, p95Ms } = { p95Ms: undefined, ...NOTHING, ...own };
      const lastFailure = own?.lastFailure && { ...own.lastFailure, at: new Date(own.lastFailure.at) };
      return { carrier: code, name, held: held.get(code) ?? 0, succeeded, rejected, failed, p95Ms, lastFailure, hours };
    }),
  };
};
