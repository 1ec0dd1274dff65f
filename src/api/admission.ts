/** Who is let in, and when: a request that would only lengthen a line is told so at once. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiDeps } from './deps.ts';
import { Refused, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

/** Each request takes several turns in this line: with more in it, whoever comes now would be answered in half a minute. */
const WAITING_MAX = 500;
const RETRY_AFTER_S = 2;

/**
 * Hooks: 503 while too much waits for the database; then, once its body is here and its shipper known, a request waits
 * for its turn, and gets 503 where that does not come in time. One that dribbles its body keeps nobody waiting.
 */
export const admitInTurn =
  ({ pool, nowMs, turns, turnWaitMs }: ApiDeps) =>
  (app: FastifyInstance): void => {
    const isIn = new WeakSet<FastifyRequest>();
    app.addHook('onRequest', async () => {
      if (pool.waitingCount > WAITING_MAX) throw tooMuch(nowMs());
    });
    app.addHook('preValidation', async (request) => {
      if ((await turns.enter(partyOf(request), turnWaitMs)) !== 'in') throw tooMuch(nowMs());
      isIn.add(request);
    });
    // Comes for every request, also when its connection has gone: its turn lasts as long as the work.
    app.addHook('onSend', async (request) => {
      if (isIn.delete(request)) turns.leave();
    });
  };

const tooMuch = (nowMs: number): Refused =>
  new Refused(unavailable(nowMs, 'There is more to do than can be done now; try again', RETRY_AFTER_S));

const partyOf = ({ bearer, ip }: FastifyRequest): string =>
  bearer?.kind === 'shipper' ? `shipper ${bearer.shipperId}` : sourceOf(ip);

/** The same, but for who waits for another's answer, which takes nobody's turn. */
export const waitAside = (deps: ApiDeps): ApiDeps => {
  const { turns } = deps;
  return {
    ...deps,
    waitForDispatch: async (...given) => await turns.aside(async () => await deps.waitForDispatch(...given)),
    send: async (...given) => await turns.aside(async () => await deps.send(...given)),
    serveLabel: async (...given) => await turns.aside(async () => await deps.serveLabel(...given)),
    registerAccount: async (...given) => await turns.aside(async () => await deps.registerAccount(...given)),
  };
};
