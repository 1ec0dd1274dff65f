/** What is decided about a request to a carrier's webhook before its body is read: anybody may send one. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { grant } from './bearer.ts';
import { createBodyRoom } from './body-room.ts';
import type { ApiDeps, ReceivedWebhook } from './deps.ts';
import { type HttpAnswer, notFound, Refused, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const RETRY_AFTER_S = 2;

/** Hooks: 404 where there is no webhook, 429 for who proved nothing too often, 503 for what there is no room for. */
export const guardWebhooks =
  ({ carriers, limits, nowMs }: ApiDeps) =>
  (app: FastifyInstance): void => {
    // Carriers have room of their own, which nobody can take who has no proof.
    const strangers = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 4);
    const known = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 2);
    app.addHook('onRequest', async (request) => {
      const code = codeOf(request);
      if (carriers.find(code)?.statuses.webhook === undefined) throw new Refused(noWebhook(nowMs(), code));
      const isKnown = limits.provenSources.has(sourceAt(request));
      if (!isKnown) grant(limits.wrongProofs.look(sourceAt(request)), nowMs(), TOO_MANY_WRONG);
      if (!(isKnown ? known : strangers).enter(request, sourceOf(request.ip)))
        throw new Refused(unavailable(nowMs(), 'Too much is received at once; try again', RETRY_AFTER_S));
    });
    app.addHook('preValidation', async (request) => {
      const bytes = Buffer.isBuffer(request.body) ? request.body.byteLength : 0;
      for (const room of [strangers, known]) room.settle(request, bytes);
    });
    // Comes for every request, also when its connection has gone: a body that was read is kept until it is judged.
    app.addHook('onSend', async (request) => {
      for (const room of [strangers, known]) room.leave(request);
    });
  };
const TOO_MANY_WRONG = 'Too many requests that prove nothing came from your address';

/** What a request proved, or did not, is remembered of the address it came from. */
export const rememberProof = ({ limits }: ApiDeps, request: FastifyRequest, { kind }: ReceivedWebhook): void => {
  if (kind === 'admitted') limits.provenSources.add(sourceAt(request));
  if (kind === 'refused') limits.wrongProofs.take(sourceAt(request));
};

export const noWebhook = (nowMs: number, carrierCode: string): HttpAnswer =>
  notFound(nowMs, `There is no webhook here for carrier ${carrierCode.slice(0, 100)}`);

const codeOf = ({ params }: FastifyRequest): string => (params as { readonly carrierCode?: string }).carrierCode ?? '';

/**
 * An address as far as one carrier is concerned. All of a carrier's accounts push from the same addresses: once one
 * has proved itself there, none is refused for another whose secret is wrong.
 */
const sourceAt = (request: FastifyRequest): string => `${codeOf(request)} ${sourceOf(request.ip)}`;
