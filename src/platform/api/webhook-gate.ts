/** What is decided about a request to a carrier's webhook before its body is read: anybody may send one. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { grant } from './bearer.ts';
import type { ApiDeps, ReceivedWebhook } from './deps.ts';
import { type HttpAnswer, notFound, Refused, unavailable } from './http-answer.ts';
import { sourceOf } from './rate-limit.ts';

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** Hooks: 404 where there is no webhook, 429 for who proved nothing too often, 503 for what there is no room for. */
export const guardWebhooks = (app: FastifyInstance, { carriers, limits }: ApiDeps): void => {
  // Carriers have room of their own, which nobody can take who has no proof.
  const strangers = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 4);
  const known = createBodyRoom(BODY_BYTES_MAX, BODY_BYTES_MAX / 2);
  const placeOf = new WeakMap<FastifyRequest, Place>();
  app.addHook('onRequest', async (request) => {
    const code = codeOf(request);
    if (carriers.find(code)?.statuses.webhook === undefined) throw new Refused(noWebhook(code));
    const isKnown = limits.provenSources.has(sourceAt(request));
    if (!isKnown) grant(limits.wrongProofs.look(sourceAt(request)), TOO_MANY_WRONG);
    const place = (isKnown ? known : strangers)(sourceOf(request.ip), announcedBytes(request));
    if (place === undefined) throw new Refused(unavailable('Too much is received at once; try again', 2_000));
    placeOf.set(request, place);
  });
  // Its body is here: from now on it takes what it is.
  app.addHook('preValidation', async (request) => {
    placeOf.get(request)?.(Buffer.isBuffer(request.body) ? request.body.byteLength : 0);
  });
  // Comes for every request, also when its connection has gone: a body that was read is kept until it is judged.
  app.addHook('onSend', async (request) => {
    placeOf.get(request)?.(0);
    placeOf.delete(request);
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
const announcedBytes = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number => {
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
  notFound(`There is no webhook here for carrier ${carrierCode.slice(0, 100)}`);

const codeOf = ({ params }: FastifyRequest): string => (params as { readonly carrierCode?: string }).carrierCode ?? '';

/**
 * An address as far as one carrier is concerned. All of a carrier's accounts push from the same addresses: once one
 * has proved itself there, none is refused for another whose secret is wrong.
 */
const sourceAt = (request: FastifyRequest): string => `${codeOf(request)} ${sourceOf(request.ip)}`;
