/** How much is received at once, in bytes of bodies: these are kept whole until they are judged. */
import type { FastifyRequest } from 'fastify';

export interface BodyRoom {
  /** Takes room for what a request says it will send; false: there is none. */
  enter(request: FastifyRequest): boolean;
  /** Its body is here: from now on it takes what it is. */
  settle(request: FastifyRequest, bytes: number): void;
  leave(request: FastifyRequest): void;
}

export const createBodyRoom = (bytesMax: number): BodyRoom => {
  const taken = new Map<FastifyRequest, number>();
  let sum = 0;
  const take = (request: FastifyRequest, bytes: number): void => {
    sum += bytes - (taken.get(request) ?? 0);
    if (bytes === 0) taken.delete(request);
    else taken.set(request, bytes);
  };
  return {
    enter: (request) => {
      const bytes = announcedBytes(request);
      if (sum + bytes > bytesMax) return false;
      take(request, bytes);
      return true;
    },
    settle: (request, bytes) => {
      if (taken.has(request)) take(request, bytes);
    },
    leave: (request) => take(request, 0),
  };
};

/** What may be read of it at most: more is refused unread, and who sends in chunks does not say how much. */
const announcedBytes = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number => {
  const length = headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), bodyLimit);
  return headers['transfer-encoding'] === undefined ? 0 : bodyLimit;
};
