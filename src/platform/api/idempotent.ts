/** `Idempotency-Key`: the answer of a request's first time is that of all its repeats. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { issuesBeyondSchema } from '../../engine/consignment/read.ts';
import {
  abandonRequest,
  type Act,
  beginRequest,
  type Claim,
  ClaimLost,
  findActs,
  findRequest,
  keepReply,
  newClaim,
  releaseKey,
} from '../records/idempotency.ts';
import { yieldTurn } from './admission.ts';
import { shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, wrong } from './http-answer.ts';
import { tellUntilHeard } from './pending-notes.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const LOOK_AGAIN_MS = 100;
/** Longer than a request takes after its wait for the carrier: what is older was cut short. */
const ABANDONED_AFTER_MS = 60_000;

export interface Attempt {
  /** Undefined: the request has no key. */
  readonly claim: Claim | undefined;
  /** What earlier tries of the request have done, which were cut short. */
  readonly acts: readonly Act[];
}

/** Undefined, of work that takes the key itself: the key is known already. */
export type Work = (attempt: Attempt) => Promise<HttpAnswer | undefined>;

const UNKEYED: Attempt = { claim: undefined, acts: [] };

/**
 * Carries the request out, or answers as the first time. The same key with another request is 409; while the first is
 * at work its repeats wait. An answer under which nothing was done (400, 404, 409, 422 of a rule) is not kept. Work
 * that takes the key itself, with what it records, is tried before the key is looked at.
 */
export const idempotently = async (
  deps: ApiDeps,
  request: FastifyRequest,
  work: Work,
  isKeyTakenByWork = false,
): Promise<HttpAnswer> => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return mustBe(await work(UNKEYED));
  if (typeof key !== 'string' || !KEY.test(key)) {
    return wrong('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  // What is out of all bounds is refused in any case, and is not to be written down as text first.
  if (issuesBeyondSchema(request.body).length > 0) return mustBe(await work(UNKEYED));
  const { pool } = deps;
  const { shipperId, environment } = shipperOf(request);
  const claim = newClaim({ shipperId, environment, key }, hashOf(request), deps.nowMs());
  const abandonedBeforeMs = claim.begunAtMs - deps.createWaitMs - ABANDONED_AFTER_MS;
  const look = isKeyTakenByWork ? findRequest : beginRequest;
  let isFree = isKeyTakenByWork;
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const tried = isFree ? await carryOut(deps, claim, async () => await work({ claim, acts: [] })) : undefined;
    if (tried?.isLasting === true) return tried;
    // The key may be ours, though the records were gone before they could say so.
    const known = await orAbandoned(pool, claim, async () => await look(pool, claim, abandonedBeforeMs));
    const wasFree = isFree;
    isFree = known === undefined;
    switch (known?.kind) {
      case undefined:
        if (wasFree && tried !== undefined) return tried;
        continue;
      case 'begun': {
        const acts = known.resumed ? await orAbandoned(pool, claim, async () => await findActs(pool, claim)) : [];
        if (acts.length > 0 || !isKeyTakenByWork)
          return mustBe(await carryOut(deps, claim, async () => await work({ claim, acts }), true));
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
        return conflict('This Idempotency-Key was used for another request');
      case 'in_progress':
        if (waitedMs >= deps.createWaitMs)
          return conflict('The request with this Idempotency-Key is still being worked on');
        await yieldTurn(async () => await sleep(LOOK_AGAIN_MS));
    }
  }
};

const mustBe = (answer: HttpAnswer | undefined): HttpAnswer => {
  if (answer === undefined) throw new Error('the work did not answer');
  return answer;
};

/** Nobody knows how far a try came that was cut short: the next one goes on from there. */
const orAbandoned = async <Result>(pool: Pool, claim: Claim, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (thrown) {
    await tellUntilHeard(pool, async () => await abandonRequest(pool, claim));
    throw thrown;
  }
};

const carryOut = async (
  { pool, nowMs }: ApiDeps,
  claim: Claim,
  work: () => Promise<HttpAnswer | undefined>,
  isHeld = false,
): Promise<HttpAnswer | undefined> => {
  try {
    return await orAbandoned(pool, claim, async () => {
      const answer = await work();
      if (answer?.isLasting !== true) {
        if (isHeld) await releaseKey(pool, claim);
        return answer;
      }
      const body = answer.bodyAt(nowMs());
      await keepReply(pool, claim, { status: answer.status, body: JSON.stringify(body) });
      return { ...answer, bodyAt: () => body };
    });
  } catch (thrown) {
    if (!(thrown instanceof ClaimLost)) throw thrown;
    return conflict('Another request with this Idempotency-Key has taken this one over');
  }
};

const hashOf = ({ method, routeOptions, params, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, routeOptions.url, params, body ?? null]))
    .digest();
