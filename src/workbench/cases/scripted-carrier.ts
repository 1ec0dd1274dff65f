/** The carrier's side of a case: answers each request with the next exchange that the case expects, and notes what does not fit. */
import { formatDuration } from '../../engine/duration.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import type { ValuePath } from '../../engine/value.ts';
import type { ReadBeside } from './bodies.ts';
import { type Clock, createFakeCarrier, durationMs, type FakeCarrier, type Reply } from './fake-carrier.ts';
import { CaseEnded, Comparison, type Problems } from './report.ts';
import { compareRequest, compareWithPrevious, describeRequest, isNear, isTarget, targetOf } from './requests.ts';
import type { Exchange, ExpectedRequest } from './schema.ts';

export interface Script {
  readonly exchanges: readonly Exchange[];
  readonly path: ValuePath;
  readonly beside: ReadBeside;
  readonly clock: Clock;
  readonly problems: Problems;
  /** Calls run side by side, so that their order is not known. */
  readonly parallel: boolean;
}

/** The request of each exchange: `same` is that of the one before. */
export const requestsOf = (exchanges: readonly Exchange[]): readonly ExpectedRequest[] => {
  let last: ExpectedRequest = {};
  return exchanges.map(({ request }) => (last = request === 'same' ? last : request));
};

interface Expected {
  readonly exchange: Exchange;
  readonly path: ValuePath;
  readonly request: ExpectedRequest;
  readonly requestPath: ValuePath;
  isUsed: boolean;
  /** Its `wait` was compared. */
  isAsserted: boolean;
}

export const scriptedCarrier = (script: Script): FakeCarrier => {
  const { clock, problems, beside, parallel } = script;
  const expected = expectedOf(script);
  let sinceWait: Expected[] = [];
  let previous: WireRequest | undefined;

  const compared = (one: Expected, request: WireRequest): Comparison =>
    compareRequest(one.request, request, one.requestPath, beside);

  const take = (request: WireRequest): Expected => {
    const open = expected.filter(({ isUsed }) => !isUsed);
    const [next] = open;
    const fitting = open.filter((one) => isTarget(one.request, request));
    const exact = parallel ? fitting.find((one) => compared(one, request).differences.length === 0) : undefined;
    const near = next !== undefined && isNear(next.request, request) ? next : undefined;
    const taken = exact ?? fitting[0] ?? near;
    if (taken === undefined) {
      const instead = next === undefined ? '' : ' in the place of this one';
      problems.add(next?.path ?? script.path, `unexpected request${instead}: ${describeRequest(request)}`);
      throw new CaseEnded('an unexpected request');
    }
    for (const skipped of parallel ? [] : open.slice(0, open.indexOf(taken))) {
      skipped.isUsed = true;
      problems.add(skipped.path, 'this exchange is unused: the one after it came instead');
    }
    taken.isUsed = true;
    return taken;
  };

  const check = (taken: Expected, request: WireRequest): void => {
    const { differences, corrections } = compared(taken, request);
    const path = [...taken.path, 'request'];
    const isAgain = taken.exchange.request === 'same' && previous !== undefined;
    if (isAgain) differences.push(...compareWithPrevious(previous as WireRequest, request));
    if (differences.length === 0) return;
    if (isAgain) problems.add(path, 'not the same request again', { differences });
    else problems.add(path, 'another request', { differences, corrections });
  };

  const answer = (request: WireRequest): Reply => {
    if (request.allowedHosts?.allows(request.url) === false) {
      const message = `${URL.parse(request.url)?.host ?? 'this host'} is not a host of this carrier`;
      return { kind: 'not_sent', code: 'host_not_declared', message };
    }
    const taken = take(request);
    check(taken, request);
    previous = request;
    sinceWait.push(taken);
    return { response: taken.exchange.response, beside };
  };

  /** One of the exchanges since the last wait has to say how long this one is. */
  const waited = (waitMs: number): void => {
    const asserting = sinceWait.filter(({ exchange }) => exchange.wait !== undefined);
    const last = asserting[0] ?? sinceWait.at(-1);
    for (const one of asserting) one.isAsserted = true;
    sinceWait = [];
    if (asserting.some(({ exchange }) => durationMs(exchange.wait ?? '') === waitMs)) return;
    const wait = formatDuration(waitMs);
    const path = last?.path ?? script.path;
    const at = [...path, 'wait'];
    const stated = last?.exchange.wait;
    const message = `the engine waits ${wait} here`;
    if (stated !== undefined) problems.add(at, message, new Comparison().differ('wait', stated, wait, at));
    else {
      const corrections = last === undefined ? [] : [{ path: at, value: wait }];
      problems.add(path, `${message}, which the case does not say`, { corrections });
    }
  };

  const end = (): void => {
    for (const { isUsed, isAsserted, exchange, request, path } of expected) {
      const { wait } = exchange;
      const at = [...path, 'wait'];
      if (!isUsed) {
        const { method, url } = targetOf(request);
        const named = `${method}${exchange.request === 'same' ? ' again' : ''} ${url}`;
        const corrections = [{ path, value: undefined }];
        problems.add(path, `this exchange is unused: ${named} was never asked`, { corrections });
      } else if (wait !== undefined && !isAsserted) {
        problems.add(at, 'the engine does not wait here', new Comparison().differ('wait', wait, undefined, at));
      }
    }
  };

  return createFakeCarrier({ clock, answer, waited, end, isAtEnd: () => expected.every(({ isUsed }) => isUsed) });
};

const expectedOf = ({ exchanges, path }: Script): readonly Expected[] => {
  const requests = requestsOf(exchanges);
  return exchanges.map((exchange, at) => {
    const original = exchanges.slice(0, at + 1).findLastIndex(({ request }) => request !== 'same');
    return {
      exchange,
      path: [...path, at],
      request: requests[at] ?? {},
      requestPath: [...path, Math.max(original, 0), 'request'],
      isUsed: false,
      isAsserted: false,
    };
  });
};
