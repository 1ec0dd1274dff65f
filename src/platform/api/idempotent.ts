/** `Idempotency-Key`: the answer of a request's first time is that of all its repeats. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { issuesBeyondSchema } from '../../engine/consignment/read.ts';
import { sha256 } from '../../engine/digest.ts';
import { piece } from '../../engine/large.ts';
import {
  type RequestAct,
  type Claim,
  ClaimLost,
  findActs,
  findRequest,
  keepReply,
  releaseKey,
} from '../records/idempotency.ts';
import { progressOf, yieldTurn } from './admission.ts';
import { shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, wrong } from './http-answer.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const LOOK_AGAIN_MS = 100;
/** Longer than a request takes after its wait for the carrier: what is older was cut short. */
const ABANDONED_AFTER_MS = 60_000;

export interface Attempt {
  /** Undefined: the request has no key. */
  readonly claim: Claim | undefined;
  /** What earlier tries of the request have done, which were cut short. */
  readonly acts: readonly RequestAct[];
  /** The `traceparent` of the request; undefined: traces are off. */
  readonly trace: string | undefined;
}

/** Takes the key with the first that it does, or throws `ClaimLost`. */
type Work = (attempt: Attempt) => Promise<HttpAnswer>;

/**
 * Carries the request out, or answers as the first time. The same key with another request is 409; while the first is
 * at work its repeats wait. An answer under which nothing was done (400, 404, 409, 422 of a rule) is not kept. The key
 * is looked at only where the work has not taken it.
 */
export const idempotently = async (deps: ApiDeps, request: FastifyRequest, work: Work): Promise<HttpAnswer> => {
  const key = request.headers['idempotency-key'];
  const trace = request.span?.traceparent;
  const unkeyed: Attempt = { claim: undefined, acts: [], trace };
  if (key === undefined) return await work(unkeyed);
  if (typeof key !== 'string' || !KEY.test(key)) {
    return wrong('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  // What is out of all bounds is refused in any case, and is not to be written down as text first.
  if ((await piece(() => issuesBeyondSchema(request.body))).length > 0) return await work(unkeyed);
  const { pool, createWaitMs } = deps;
  const progress = progressOf(request);
  const { shipperId, environment } = shipperOf(request);
  const begunAtMs = deps.nowMs();
  const claim = {
    shipperId,
    environment,
    key,
    owner: progress.ownTry,
    requestHash: await piece(() => hashOf(request)),
    begunAtMs,
  };
  const abandonedBeforeMs = begunAtMs - createWaitMs - ABANDONED_AFTER_MS;
  // Nobody knows how far a try came that is cut short: the next one goes on from there.
  progress.begunIn = pool;
  progress.isKeyed = true;
  let isFree = true;
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const answer = isFree ? await tried(deps, claim, { acts: [], trace }, work) : undefined;
    if (answer?.isLasting === true) return answer;
    const known = await findRequest(pool, claim, abandonedBeforeMs);
    if (known === undefined && answer !== undefined) return answer;
    isFree = known === undefined;
    switch (known?.kind) {
      case undefined:
        continue;
      case 'taken_over': {
        const acts = await findActs(pool, claim);
        const resumed = acts.length === 0 ? undefined : await tried(deps, claim, { acts, trace }, work);
        if (resumed !== undefined) return resumed;
        await releaseKey(pool, claim);
        isFree = true;
        continue;
      }
      case 'answered':
        return {
          status: known.reply.status,
          bodyAt: () => JSON.parse(known.reply.body) as unknown,
          headers: { 'Idempotency-Replayed': 'true' },
        };
      case 'other_request':
        return conflict('This Idempotency-Key was used for another request', 'idempotency_key_reused');
      case 'in_progress':
        if (waitedMs >= createWaitMs)
          return conflict('The request with this Idempotency-Key is still being worked on', 'idempotency_key_in_use');
        await yieldTurn(async () => await sleep(LOOK_AGAIN_MS));
    }
  }
};

/** Undefined: the key is known, and another try has it. */
const tried = async (
  { pool, nowMs }: ApiDeps,
  claim: Claim,
  given: Omit<Attempt, 'claim'>,
  work: Work,
): Promise<HttpAnswer | undefined> => {
  const answer = await work({ claim, ...given }).catch((thrown: unknown) => {
    if (!(thrown instanceof ClaimLost)) throw thrown;
  });
  if (answer === undefined) return undefined;
  if (answer.isLasting !== true) {
    await releaseKey(pool, claim);
    return answer;
  }
  const body = answer.bodyAt(nowMs());
  await keepReply(pool, claim, { status: answer.status, body: JSON.stringify(body) });
  return { ...answer, bodyAt: () => body };
};

const hashOf = ({ method, routeOptions, params, body }: FastifyRequest): Buffer =>
  sha256(JSON.stringify([method, routeOptions.url, params, body ?? null]));
