/** How much is received at once, in bytes of bodies: these are kept whole until they are judged. */
import type { FastifyRequest } from 'fastify';

export interface BodyRoom {
  /** Takes room for what a request says it will send; false: there is none, or none left for its source. */
  enter(request: FastifyRequest, source: string): boolean;
  /** Its body is here: from now on it takes what it is. */
  settle(request: FastifyRequest, bytes: number): void;
  leave(request: FastifyRequest): void;
}

export const createBodyRoom = (bytesMax: number, bytesMaxOfSource: number): BodyRoom => {
  const taken = new Map<FastifyRequest, { readonly source: string; readonly bytes: number }>();
  const bySource = new Map<string, number>();
  let sum = 0;
  const take = (request: FastifyRequest, source: string, bytes: number): void => {
    const more = bytes - (taken.get(request)?.bytes ?? 0);
    const ofSource = (bySource.get(source) ?? 0) + more;
    sum += more;
    if (ofSource === 0) bySource.delete(source);
    else bySource.set(source, ofSource);
    if (bytes === 0) taken.delete(request);
    else taken.set(request, { source, bytes });
  };
  const change = (request: FastifyRequest, bytes: number): void => {
    const source = taken.get(request)?.source;
    if (source !== undefined) take(request, source, bytes);
  };
  return {
    enter: (request, source) => {
      const bytes = announcedBytes(request);
      if (sum + bytes > bytesMax || (bySource.get(source) ?? 0) + bytes > bytesMaxOfSource) return false;
      take(request, source, bytes);
      return true;
    },
    settle: change,
    leave: (request) => change(request, 0),
  };
};

/** What may be read of it at most: more is refused unread, and who sends in chunks does not say how much. */
const announcedBytes = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number => {
  const length = headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), bodyLimit);
  return headers['transfer-encoding'] === undefined ? 0 : bodyLimit;
};
