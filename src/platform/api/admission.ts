/** Who is let in, and when: a request that would only lengthen a line is told so at once. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Turn } from '../../engine/fair-semaphore.ts';
import type { ApiDeps } from './deps.ts';
import { Refused, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

/** Each request waits in this line several times: with more in it, whoever comes now would be answered in half a minute. */
const WAITING_MAX = 500;
const RETRY_AFTER_S = 2;

/** That of the request that is worked on. */
const current = new AsyncLocalStorage<Turn>();

/** Waits for another's answer, and for that long takes nobody's turn. */
export const aside = async <Result>(wait: () => Promise<Result>): Promise<Result> => {
  const turn = current.getStore();
  return await (turn === undefined ? wait() : turn.yieldWhile(wait));
};

/**
 * Hooks: 503 while too much waits for the database; then, once its body is here and its shipper known, a request waits
 * for its turn, and gets 503 where that does not come in time. One that dribbles its body keeps nobody waiting.
 */
export const admitInTurn =
  ({ pool, nowMs, turns, turnWaitMs }: ApiDeps) =>
  (app: FastifyInstance): void => {
    const turnOf = new WeakMap<FastifyRequest, Turn>();
    app.addHook('onRequest', async () => {
      if (pool.waitingCount > WAITING_MAX) throw tooMuch(nowMs());
    });
    app.addHook('preValidation', async (request) => {
      const turn = await turns.enter(partyOf(request), turnWaitMs);
      if (typeof turn === 'string') throw tooMuch(nowMs());
      turnOf.set(request, turn);
    });
    // What `done` calls has the turn for its own; what an async hook does, nobody else has.
    app.addHook('preValidation', (request, _reply, done) => {
      const turn = turnOf.get(request);
      if (turn === undefined) done();
      else current.run(turn, done);
    });
    // Comes for every request, also when its connection has gone: its turn lasts as long as the work.
    app.addHook('onSend', async (request) => turnOf.get(request)?.leave());
  };

const tooMuch = (nowMs: number): Refused =>
  new Refused(unavailable(nowMs, 'There is more to do than can be done now; try again', RETRY_AFTER_S));

const partyOf = ({ bearer, ip }: FastifyRequest): string =>
  bearer?.kind === 'shipper' ? `shipper ${bearer.shipperId}` : sourceOf(ip);

/** The same, but for who waits for another's answer, which takes nobody's turn. */
export const waitAside = (deps: ApiDeps): ApiDeps => ({
  ...deps,
  waitForDispatch: async (...given) => await aside(async () => await deps.waitForDispatch(...given)),
  send: async (...given) => await aside(async () => await deps.send(...given)),
  registerAccount: async (...given) => await aside(async () => await deps.registerAccount(...given)),
});
