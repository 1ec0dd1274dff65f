/**
 * The carrier's side of a case: answers each request with the next exchange that the case expects. No network: this is
 * the `send` of the runner. What does not fit is noted as a problem.
 */
import type { WireLimits, WireOutcome, WireRequest } from '../../engine/transport/wire.ts';
import { answerOf, faultOf } from './answers.ts';
import type { ReadBeside } from './bodies.ts';
import type { Clock } from './clock.ts';
import { showDuration } from './duration-text.ts';
import { durationMs, type Path } from './read.ts';
import { CaseEnded, type Problems } from './report.ts';
import { compareRequest, compareWithPrevious, describeRequest, isNear, isTarget } from './requests.ts';
import type { Exchange, ExpectedRequest } from './schema.ts';
import type { Place } from '../../engine/failure.ts';

export interface ScriptOptions {
  readonly exchanges: readonly Exchange[];
  /** Where they stand in the case. */
  readonly path: Path;
  readonly placeAt: (path: Path) => Place;
  readonly beside: ReadBeside;
  readonly clock: Clock;
  readonly problems: Problems;
  /** Calls run side by side, so that their order is not told. */
  readonly parallel: boolean;
}

export interface Script {
  send(request: WireRequest, limits: WireLimits): Promise<WireOutcome>;
  /** No exchange is left. */
  isAtEnd(): boolean;
  /** The engine waits before it goes on: one of the exchanges since the last wait has to say so. */
  waited(waitMs: number): void;
  /** The step is over: what was expected and did not come is a problem. */
  end(): void;
}

interface Expected {
  readonly exchange: Exchange;
  readonly path: Path;
  /** Of a `same`: the one it repeats. */
  readonly request: ExpectedRequest;
  readonly requestPath: Path;
  used: boolean;
  asserted: boolean;
}

export const createScript = (options: ScriptOptions): Script => {
  const { placeAt, clock, problems, beside, parallel } = options;
  const expected = expectedOf(options);
  let sinceWait: Expected[] = [];
  let previous: WireRequest | undefined;

  const take = (request: WireRequest): Expected => {
    const open = expected.filter(({ used }) => !used);
    const [next] = open;
    const fitting = parallel
      ? (open.find((one) => isTarget(one.request, request) && !differs(one, request)) ??
        open.find((one) => isTarget(one.request, request)))
      : open.find((one) => isTarget(one.request, request));
    const taken = fitting ?? (next !== undefined && isNear(next.request, request) ? next : undefined);
    if (taken === undefined) {
      const place = next === undefined ? placeAt(options.path) : placeAt(next.path);
      problems.add(
        place,
        next === undefined
          ? `unexpected request: ${describeRequest(request)}`
          : `unexpected request in the place of this one: ${describeRequest(request)}`,
      );
      throw new CaseEnded('an unexpected request');
    }
    if (!parallel) {
      for (const skipped of open.slice(0, open.indexOf(taken))) {
        skipped.used = true;
        problems.add(placeAt(skipped.path), 'this exchange is unused: the one after it came instead', {
          corrections: [],
        });
      }
    }
    taken.used = true;
    return taken;
  };

  const differs = (one: Expected, request: WireRequest): boolean =>
    compareRequest(one.request, request, one.requestPath, beside).differences.length > 0;

  const check = (taken: Expected, request: WireRequest): void => {
    const { differences, corrections } = compareRequest(taken.request, request, taken.requestPath, beside);
    const repeated = taken.exchange.request === 'same' && previous !== undefined;
    const all = repeated ? [...differences, ...compareWithPrevious(previous as WireRequest, request)] : differences;
    if (all.length === 0) return;
    problems.add(placeAt([...taken.path, 'request']), repeated ? 'not the same request again' : 'another request', {
      differences: all,
      corrections: repeated ? [] : corrections,
    });
  };

  return {
    send: (request, limits) => {
      if (request.allowedHosts?.allows(request.url) === false) {
        const message = `${URL.parse(request.url)?.host ?? 'this host'} is not a host of this carrier`;
        return Promise.resolve({ kind: 'not_sent', code: 'host_not_declared', message });
      }
      const taken = take(request);
      check(taken, request);
      previous = request;
      sinceWait.push(taken);
      const { response } = taken.exchange;
      return Promise.resolve(
        typeof response === 'string' ? faultOf(response, limits, clock) : answerOf(response, limits, clock, beside),
      );
    },
    isAtEnd: () => expected.every(({ used }) => used),
    waited: (waitMs) => {
      const asserting = sinceWait.filter(({ exchange }) => exchange.wait !== undefined);
      const right = asserting.find(({ exchange }) => durationMs(exchange.wait ?? '') === waitMs);
      const last = asserting[0] ?? sinceWait.at(-1);
      for (const one of asserting) one.asserted = true;
      sinceWait = [];
      if (right !== undefined) return;
      const wait = showDuration(waitMs);
      const path = last?.path ?? options.path;
      const said = last?.exchange.wait;
      problems.add(
        placeAt(said === undefined ? path : [...path, 'wait']),
        said === undefined
          ? `the engine waits ${wait} here, which the case does not say`
          : `the engine waits ${wait} here`,
        {
          differences: said === undefined ? [] : [{ path: 'wait', expected: said, seen: wait }],
          corrections: last === undefined ? [] : [{ kind: 'value', path: [...path, 'wait'], value: wait }],
        },
      );
    },
    end: () => {
      for (const { used, asserted, exchange, path } of expected) {
        if (!used) {
          const { key, url } = showTarget(exchange, expected, path);
          problems.add(placeAt(path), `this exchange is unused: ${key} ${url} was never asked`, {
            corrections: [{ kind: 'value', path, value: undefined }],
          });
        } else if (exchange.wait !== undefined && !asserted) {
          problems.add(placeAt([...path, 'wait']), 'the engine does not wait here', {
            differences: [{ path: 'wait', expected: exchange.wait, seen: undefined }],
            corrections: [{ kind: 'value', path: [...path, 'wait'], value: undefined }],
          });
        }
      }
    },
  };
};

const expectedOf = ({ exchanges, path }: ScriptOptions): Expected[] => {
  const expected: Expected[] = [];
  for (const [at, exchange] of exchanges.entries()) {
    const here = [...path, at];
    const before = expected.at(-1);
    expected.push({
      exchange,
      path: here,
      request: exchange.request === 'same' ? (before?.request ?? {}) : exchange.request,
      requestPath: exchange.request === 'same' ? (before?.requestPath ?? here) : [...here, 'request'],
      used: false,
      asserted: false,
    });
  }
  return expected;
};

const showTarget = (exchange: Exchange, expected: readonly Expected[], path: Path): { key: string; url: string } => {
  const found = expected.find((one) => one.path === path)?.request ?? {};
  const [key, url] = Object.entries(found).find(([name]) => /^(?:get|post|put|patch|delete)$/.test(name)) ?? ['', ''];
  return { key: exchange.request === 'same' ? `${key.toUpperCase()} again` : key.toUpperCase(), url: String(url) };
};
