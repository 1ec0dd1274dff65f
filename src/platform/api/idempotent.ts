/** `Idempotency-Key`: the answer of a request's first time is that of all its repeats. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { issuesBeyondSchema } from '../../engine/consignment/read.ts';
import {
  type Act,
  beginRequest,
  type Claim,
  ClaimLost,
  findActs,
  keepReply,
  newClaim,
  releaseKey,
} from '../records/idempotency.ts';
import { yieldTurn } from './admission.ts';
import { shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, wrong } from './http-answer.ts';
import { tellAbandoned } from './pending-abandonments.ts';

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

export type Work = (attempt: Attempt) => Promise<HttpAnswer>;

const UNKEYED: Attempt = { claim: undefined, acts: [] };

/**
 * Carries the request out, or answers as the first time. The same key with another request is 409; while the first is
 * at work its repeats wait. An answer under which nothing was done (400, 404, 409, 422 of a rule) is not kept.
 */
export const idempotently = async (deps: ApiDeps, request: FastifyRequest, work: Work): Promise<HttpAnswer> => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return await work(UNKEYED);
  if (typeof key !== 'string' || !KEY.test(key)) {
    return wrong('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  // What is out of all bounds is refused in any case, and is not to be written down as text first.
  if (issuesBeyondSchema(request.body).length > 0) return await work(UNKEYED);
  const { shipperId, environment } = shipperOf(request);
  const claim = newClaim({ shipperId, environment, key });
  const hash = hashOf(request);
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const nowMs = deps.nowMs();
    const abandonedBeforeMs = nowMs - deps.createWaitMs - ABANDONED_AFTER_MS;
    const begun = await beginRequest(deps.pool, claim, hash, { nowMs, abandonedBeforeMs }).catch(
      async (thrown: unknown) => {
        // The key may be ours, though the records were gone before they could say so.
        await tellAbandoned(deps.pool, claim);
        throw thrown;
      },
    );
    switch (begun.kind) {
      case 'begun':
        return await carryOut(
          deps,
          claim,
          async () => await work({ claim, acts: begun.resumed ? await findActs(deps.pool, claim) : [] }),
        );
      case 'answered':
        return {
          status: begun.reply.status,
          bodyAt: () => JSON.parse(begun.reply.body) as unknown,
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

const carryOut = async (deps: ApiDeps, claim: Claim, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> => {
  try {
    const answer = await work();
    if (answer.isLasting !== true) {
      await releaseKey(deps.pool, claim);
      return answer;
    }
    const body = answer.bodyAt(deps.nowMs());
    await keepReply(deps.pool, claim, { status: answer.status, body: JSON.stringify(body) });
    return { ...answer, bodyAt: () => body };
  } catch (thrown) {
    if (thrown instanceof ClaimLost)
      return conflict('Another request with this Idempotency-Key has taken this one over');
    // Nobody knows how far it came: the next try goes on from there.
    await tellAbandoned(deps.pool, claim);
    throw thrown;
  }
};

const hashOf = ({ method, routeOptions, params, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, routeOptions.url, params, body ?? null]))
    .digest();
