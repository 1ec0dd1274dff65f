/** Who is let in, and when: a request that would only lengthen a line is told so at once, and each is answered in time. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Turn } from '../../engine/fair-semaphore.ts';
import { LARGE_BYTES, largeTurns } from '../../engine/large.ts';
import { noteCutShort } from '../records/cut-short.ts';
import { waitingFor } from '../records/pool.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, Refused, send, tooManyRequests, UNAVAILABLE, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    progress: Progress | undefined;
  }
  interface FastifyContextConfig {
    /** Of a route that needs longer than others. */
    readonly answerWithinMs?: number;
  }
}

/** Each request waits in this line several times: with more in it, whoever comes now would be answered in half a minute. */
export const WAITING_MAX = 500;

const turnOf = new WeakMap<FastifyRequest, Turn>();
const answered = new WeakSet<FastifyRequest>();
const keepTurn = (request: FastifyRequest, turn: Turn): void => {
  if (answered.has(request)) turn.leave();
  else turnOf.set(request, turn);
};

/** That of the request that is worked on. */
const current = new AsyncLocalStorage<Turn>();

/** Waits for another's answer, or with many for one statement, and for that long takes nobody's turn. */
export const yieldTurn = async <Result>(wait: () => Promise<Result>): Promise<Result> => {
  const turn = current.getStore();
  return await (turn === undefined ? wait() : turn.yieldWhile(wait));
};

/**
 * Hooks: 503 while too much waits for the database; then, once its body is here and its shipper known, a request waits
 * for its turn, and gets 503 where that does not come in time. One that dribbles its body keeps nobody waiting.
 */
export const admitInTurn = (app: FastifyInstance, { pool, turns, turnWaitMs }: ApiDeps): void => {
  app.addHook('onRequest', async () => {
    if (waitingFor(pool) > WAITING_MAX) throw new Refused(tooMuch());
  });
  app.addHook('preValidation', async (request) => {
    if (turnOf.has(request)) return;
    const turn = await turns.enter(shipperOrSource(request), turnWaitMs);
    if (typeof turn === 'string') throw new Refused(tooMuch());
    keepTurn(request, turn);
  });
  // What `done` calls has the turn for its own; what an async hook does, nobody else has.
  app.addHook('preValidation', (request, _reply, done) => {
    const turn = turnOf.get(request);
    if (turn === undefined) done();
    else current.run(turn, done);
  });
};

/** Hook, which comes for every request, also when its connection has gone: its turn lasts as long as the work. */
export const endTurns = (app: FastifyInstance): void => {
  app.addHook('onSend', async (request) => {
    answered.add(request);
    turnOf.get(request)?.leave();
  });
};

/** How long a large request waits for its turn: others of its party may be before it. */
export const LARGE_WAIT_MS = 20_000;

/** A large request, whose body is here, waits for its turn before it is parsed. It needs no other then. */
export const enterIfLarge = async (request: FastifyRequest, bytes: number): Promise<void> => {
  if (bytes <= LARGE_BYTES) return;
  const turn = await largeTurns.enter(partyOf(request), LARGE_WAIT_MS);
  if (typeof turn === 'string')
    throw new Refused(tooManyRequests('Too many large requests are worked on', 5_000, 'large_requests'));
  keepTurn(request, turn);
};

/** 503: nothing was begun. */
export const tooMuch = (): HttpAnswer =>
  unavailable('There is more to do than can be done now; try again', 2_000, 'overloaded');

/** Who answers for what a request costs. */
export const partyOf = ({ party, ip }: FastifyRequest): string => party ?? sourceOf(ip);

const shipperOrSource = ({ bearer, ip }: FastifyRequest): string =>
  bearer?.kind === 'shipper' ? `shipper ${bearer.shipperId}` : sourceOf(ip);

/** How far a request has come, for where it cannot be answered as it should. */
export interface Progress {
  /** Random: by it what was recorded for the request is known, should it be cut short. */
  readonly ownTry: string;
  /** Here something may be recorded under `ownTry` from now on. */
  begunIn?: ApiDeps['pool'];
  isKeyed?: boolean;
  /** What it asks for is recorded, and goes on: this is answered then, and never 503. */
  recorded?: HttpAnswer;
}

export const progressOf = (request: FastifyRequest): Progress => (request.progress ??= { ownTry: randomUUID() });

/** Of its repeat, which comes later: should the records be away for longer, the note waits for them. */
const NOTE_LIMIT_MS = 1_000;

/** 503 is for what was not done: where it was, the answer says so. Where it may have been, its repeat goes on with that. */
export const cutShort = async ({ progress }: FastifyRequest, answer: HttpAnswer): Promise<HttpAnswer> => {
  const instead = answer.status === UNAVAILABLE ? progress?.recorded : undefined;
  if (progress?.begunIn !== undefined && (instead === undefined || progress.isKeyed === true))
    await Promise.race([
      noteCutShort(progress.begunIn, progress.ownTry),
      sleep(NOTE_LIMIT_MS, undefined, { ref: false }),
    ]);
  return instead ?? answer;
};

/**
 * Hook: whoever asks has an answer in time, whatever keeps us; what was begun goes on. Fastify's own `handlerTimeout`
 * ends with the body of the request.
 */
export const answerInTime =
  ({ answerWithinMs, nowMs }: Pick<ApiDeps, 'answerWithinMs' | 'nowMs'>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const giveUp = async () => {
      const message = 'This takes too long; it may yet be done. Ask again with the same key';
      const answer = await cutShort(request, unavailable(message, 5_000, 'not_in_time'));
      if (!reply.sent) send(reply, answer, nowMs());
    };
    const limitMs = request.routeOptions.config.answerWithinMs ?? answerWithinMs;
    const timer = setTimeout(() => void giveUp(), limitMs);
    reply.raw.once('close', () => clearTimeout(timer));
  };
