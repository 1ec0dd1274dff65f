/** The carrier of a scenario: answers as its cases show it answering, but where the scenario says otherwise. */
import type { WireLimits, WireOutcome, WireRequest } from '../../../engine/transport/wire.ts';
import { answerOf } from '../answers.ts';
import type { Clock } from '../clock.ts';
import type { Script } from '../script.ts';
import type { KnownAnswer } from './material.ts';

/** What comes in the place of an answer; undefined: the answer of the cases. */
export type Instead = (request: WireRequest, asked: number) => WireOutcome | undefined;

export interface Double extends Script {
  readonly sent: readonly WireRequest[];
  readonly waitsMs: readonly number[];
  /** The first request that no case shows an answer to, as `POST https://…`. */
  unknown(): string | undefined;
}

export interface Doubling {
  readonly answers: readonly KnownAnswer[];
  readonly clock: Clock;
  readonly instead?: Instead | undefined;
  /** What becomes of each answer on its way. */
  readonly alter?: ((outcome: WireOutcome) => WireOutcome) | undefined;
  /** After so many requests the scenario has seen enough: the engine does not go on after a wait. */
  readonly enough?: number | undefined;
}

export const createDouble = ({ answers, clock, instead, alter, enough = Infinity }: Doubling): Double => {
  const sent: WireRequest[] = [];
  const waitsMs: number[] = [];
  const used = new Set<KnownAnswer>();
  let unknown: string | undefined;

  const answerTo = (request: WireRequest, limits: WireLimits): WireOutcome => {
    const fitting = bestOf(answers, request);
    const found = fitting.find((one) => !used.has(one)) ?? fitting.at(-1);
    if (found === undefined) {
      unknown ??= `${request.method} ${request.url.split('?')[0]}`;
      return { kind: 'not_sent', code: 'request_invalid', message: 'no case shows what the carrier answers to this' };
    }
    used.add(found);
    return answerOf(found.answer, limits, clock, found.caseFile.beside);
  };

  return {
    sent,
    waitsMs,
    unknown: () => unknown,
    send: (request, limits) => {
      sent.push(request);
      const outcome = instead?.(request, sent.length) ?? answerTo(request, limits);
      return Promise.resolve(alter?.(outcome) ?? outcome);
    },
    isAtEnd: () => sent.length >= enough,
    waited: (waitMs) => {
      waitsMs.push(waitMs);
    },
    end: () => {},
  };
};

/** Answers to the same URL, else to one that differs only where numbers stand. */
const bestOf = (answers: readonly KnownAnswer[], request: WireRequest): readonly KnownAnswer[] => {
  const same = answers.filter(({ method, url }) => method === request.method && url === request.url);
  return same.length > 0
    ? same
    : answers.filter(({ method, url }) => method === request.method && shapeOf(url) === shapeOf(request.url));
};

const shapeOf = (text: string): string => {
  const url = URL.parse(text);
  if (url === null) return text;
  const path = url.pathname.split('/').map((part) => (/\d/.test(part) && !/^v\d/i.test(part) ? '#' : part));
  return `${url.origin}${path.join('/')}`;
};
