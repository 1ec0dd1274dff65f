/** `Idempotency-Key`: the answer of a request's first time is that of all its repeats. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { boundsOf } from '../order/bounds.ts';
import { abandonRequest, beginRequest, keepReply, releaseKey, type RequestKey } from '../store/idempotency.ts';
import { shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, conflict, type HttpAnswer } from './http-answer.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const LOOK_AGAIN_MS = 100;
/** Longer than a request takes after its wait for the carrier: what is older was cut short. */
const ABANDONED_AFTER_MS = 60_000;
const TELL_AGAIN_MS = 1_000;

export interface Begun {
  /** An earlier try of the same request was cut short: what it asked for may have been done. */
  readonly resumed: boolean;
}

export type Work = (begun: Begun) => Promise<HttpAnswer>;

/**
 * Carries the request out, or answers as the first time. The same key with another request is 409; while the first is
 * at work its repeats wait. An answer under which nothing was done (400, 404, 409, 422 of a rule) is not kept.
 */
export const idempotently = async (deps: ApiDeps, request: FastifyRequest, work: Work): Promise<HttpAnswer> => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return await work({ resumed: false });
  if (typeof key !== 'string' || !KEY.test(key)) {
    return badRequest(deps.nowMs(), [{ message: 'Idempotency-Key must be 1 to 255 visible ASCII characters' }]);
  }
  // What is out of all bounds is refused in any case, and is not to be written down as text first.
  if (boundsOf(request.body).length > 0) return await work({ resumed: false });
  const { shipperId, environment } = shipperOf(request);
  const name: RequestKey = { shipperId, environment, key };
  const hash = hashOf(request);
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const nowMs = deps.nowMs();
    const abandonedBeforeMs = nowMs - deps.createWaitMs - ABANDONED_AFTER_MS;
    const begun = await beginRequest(deps.pool, name, hash, { nowMs, abandonedBeforeMs });
    switch (begun.kind) {
      case 'begun':
        return await carryOut(deps, name, nowMs, async () => await work(begun));
      case 'answered':
        return {
          status: begun.reply.status,
          body: JSON.parse(begun.reply.body) as unknown,
          headers: { 'Idempotency-Replayed': 'true' },
        };
      case 'other_request':
        return conflict(nowMs, 'This Idempotency-Key was used for another request');
      case 'in_progress':
        if (waitedMs >= deps.createWaitMs)
          return conflict(nowMs, 'The request with this Idempotency-Key is still being worked on');
        await sleep(LOOK_AGAIN_MS);
    }
  }
};

const carryOut = async (
  deps: ApiDeps,
  name: RequestKey,
  begunAtMs: number,
  work: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> => {
  try {
    const answer = await work();
    if (answer.isLasting === true)
      await keepReply(deps.pool, name, { status: answer.status, body: JSON.stringify(answer.body) });
    else await releaseKey(deps.pool, name);
    return answer;
  } catch (thrown) {
    // Nobody knows how far it came: the next try goes on from there.
    const abandon = async (): Promise<void> => await abandonRequest(deps.pool, name, begunAtMs);
    await abandon().catch(() => void tellLater(abandon));
    throw thrown;
  }
};

/** The records are away, which is mostly why the request was cut short: they hear of it when they are there again. */
const tellLater = async (tell: () => Promise<void>): Promise<void> => {
  const untilMs = performance.now() + ABANDONED_AFTER_MS;
  while (performance.now() < untilMs) {
    await sleep(TELL_AGAIN_MS, undefined, { ref: false });
    const heard = await tell().then(
      () => true,
      () => false,
    );
    if (heard) return;
  }
};

const hashOf = ({ method, routeOptions, params, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, routeOptions.url, params, body ?? null]))
    .digest();
