/** What is decided about a request before its body is read: nobody has more of the memory and the time than is good for all. */
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LARGE_BYTES } from '../../engine/large.ts';
import { partyOf } from './admission.ts';
import { grant } from './bearer.ts';
import type { ApiDeps, ReceivedWebhook } from './deps.ts';
import { type HttpAnswer, notFound, Refused, tooManyRequests, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

const MIB = 1024 * 1024;
/** Of bodies that are received or worked on: of all requests with a token, and of webhooks from addresses that are known, or not. */
export const BODY_BYTES_MAX = 64 * MIB;
/** Of large bodies of one token. */
export const LARGE_AT_ONCE_BYTES = 8 * MIB;
const COME_BACK_MS = 2_000;

const placeOf = new WeakMap<FastifyRequest, Place>();

/**
 * Hooks: 429 for a large body of who sends too many bytes a minute, or has too much of it here at once. What comes in
 * chunks is large as soon as so much of it is here, and as large as can be until all of it is.
 */
export const guardBodies = (app: FastifyInstance, { limits }: ApiDeps): void => {
  const room = createBodyRoom(BODY_BYTES_MAX, LARGE_AT_ONCE_BYTES);
  const admit = (request: FastifyRequest, bytes: number): void => {
    const party = partyOf(request);
    grant(limits.largeBytes.take(party, bytes), 'Too many bytes of large requests', 'large_requests');
    if (placeOf.has(request)) return;
    const place = room(party, bytes);
    if (place === undefined)
      throw new Refused(tooManyRequests('Too much is received at once', COME_BACK_MS, 'large_requests'));
    placeOf.set(request, place);
  };
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const bytes = announcedBytes(request);
    if (request.headers['content-length'] === undefined && bytes > 0) {
      const chunks = watched(
        () => admit(request, bytes),
        (receivedBytes) => {
          placeOf.get(request)?.(receivedBytes);
          limits.largeBytes.take(partyOf(request), receivedBytes - bytes);
        },
      );
      // Not by `pipeline`: the connection is still needed for the answer to what is refused.
      payload
        .once('error', (error) => chunks.destroy(error))
        .once('close', () => payload.readableEnded || chunks.destroy(new Error('the request was cut off')));
      done(null, payload.pipe(chunks));
      return;
    }
    try {
      if (bytes > LARGE_BYTES) admit(request, bytes);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  // Comes for every request, also when its connection has gone: a body that was read is kept until it is worked on.
  app.addHook('onSend', async (request) => {
    placeOf.get(request)?.(0);
    placeOf.delete(request);
  });
};

/** Passes bytes on; once they are large, `begun` is called, and what it throws is the end of them; and `ended` with how many came. */
const watched = (begun: () => void, ended: (bytes: number) => void): Transform => {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const wasSmall = bytes <= LARGE_BYTES;
      bytes += chunk.byteLength;
      try {
        if (wasSmall && bytes > LARGE_BYTES) begun();
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
    flush: (done) => {
      if (bytes > LARGE_BYTES) ended(bytes);
      done();
    },
  });
};

/** Hooks: 404 where there is no webhook, 429 for who proved nothing too often, 503 for what there is no room for. */
export const guardWebhooks = (app: FastifyInstance, { carriers, limits }: ApiDeps): void => {
  // Carriers have room of their own, which nobody can take who has no proof.
  const strangers = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 4);
  const known = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 2);
  app.addHook('onRequest', async (request) => {
    const code = codeOf(request);
    if (carriers.find(code)?.statuses.webhook === undefined) throw new Refused(noWebhook(code));
    const isKnown = limits.provenSources.has(sourceAt(request));
    if (!isKnown) grant(limits.wrongProofs.look(sourceAt(request)), TOO_MANY_WRONG, 'wrong_proofs');
    const place = (isKnown ? known : strangers)(sourceOf(request.ip), announcedBytes(request));
    if (place === undefined)
      throw new Refused(unavailable('Too much is received at once; try again', 2_000, 'overloaded'));
    placeOf.set(request, place);
    if (isKnown) request.party = sourceAt(request);
  });
  // Its body is here: from now on it takes what it is.
  app.addHook('preValidation', async (request) => {
    placeOf.get(request)?.(Buffer.isBuffer(request.body) ? request.body.byteLength : 0);
  });
};
const TOO_MANY_WRONG = 'Too many requests that prove nothing came from your address';

/** Changes how many bytes a request takes of the room. */
type Place = (bytes: number) => void;

/** Room for bodies, which are kept whole until they are judged: a place, or none where the source or all take too much. */
const createBodyRoom = (bytesMax: number, bytesMaxOfSource: number) => {
  const bySource = new Map<string, number>();
  let sum = 0;
  return (source: string, announced: number): Place | undefined => {
    if (sum + announced > bytesMax || (bySource.get(source) ?? 0) + announced > bytesMaxOfSource) return undefined;
    let taken = 0;
    const change: Place = (bytes) => {
      const ofSource = (bySource.get(source) ?? 0) + bytes - taken;
      sum += bytes - taken;
      taken = bytes;
      if (ofSource === 0) bySource.delete(source);
      else bySource.set(source, ofSource);
    };
    change(announced);
    return change;
  };
};

/** What may be read of it at most: more is refused unread, and who sends in chunks does not say how much. */
export const announcedBytes = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number => {
  const length = headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), bodyLimit);
  return headers['transfer-encoding'] === undefined ? 0 : bodyLimit;
};

/** What a request proved, or did not, is remembered of the address it came from. */
export const rememberProof = ({ limits }: ApiDeps, request: FastifyRequest, { kind }: ReceivedWebhook): void => {
  if (kind === 'admitted') limits.provenSources.add(sourceAt(request));
  if (kind === 'refused') limits.wrongProofs.take(sourceAt(request));
};

export const noWebhook = (carrierCode: string): HttpAnswer =>
  notFound(`There is no webhook here for carrier ${carrierCode.slice(0, 100)}`, 'unknown_carrier');

const codeOf = ({ params }: FastifyRequest): string => (params as { readonly carrierCode?: string }).carrierCode ?? '';

/**
 * An address as far as one carrier is concerned. All of a carrier's accounts push from the same addresses: once one
 * has proved itself there, none is refused for another whose secret is wrong.
 */
const sourceAt = (request: FastifyRequest): string => `${codeOf(request)} ${sourceOf(request.ip)}`;
