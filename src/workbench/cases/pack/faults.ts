/** Scenarios of what goes wrong on the way: nothing is lost, nothing is done twice. */
import type { Place } from '../../../engine/failure.ts';
import type { Idempotency } from '../../../engine/profile/carrier.ts';
import type { WireOutcome, WireRequest } from '../../../engine/transport/wire.ts';
import type { Instead } from './double.ts';
import type { Complaint, Scenario } from './scenario.ts';
import { type Acted, create, describe, Pending, perform, type Stage, whyNot } from './stage.ts';
import { isSameRequest } from './wire.ts';

interface Rehearsed {
  readonly acted: Acted;
  readonly request: WireRequest;
  /** Which of all requests it is, counted from 1. */
  readonly at: number;
}

/** The first call of a create that is no login: where the fault will come. */
const rehearse = async (stage: Stage): Promise<Rehearsed> => {
  const acted = await create(stage);
  const [request] = acted.requests;
  if (request === undefined) throw new Pending(whyNot(acted, 'no request is built'));
  return { acted, request, at: acted.sent.indexOf(request) + 1 };
};

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): WireOutcome => ({
  kind: 'answer',
  status,
  headers,
  body: Buffer.from(body),
});

const once =
  (at: number, outcome: WireOutcome): Instead =>
  (_request, asked) =>
    asked === at ? outcome : undefined;

const firstStep = ({ carrier }: Stage): { readonly place: Place; readonly attempts: number } => {
  const step = carrier.operations.create?.steps[0];
  return { place: step?.place ?? carrier.place, attempts: step?.retry.attempts ?? 1 };
};

/** The profile answers this by a rule of its own. */
const ruleOf = (stage: Stage, { outcome }: Acted): Place | undefined => {
  if (outcome.kind === 'done' || outcome.problem.place === undefined) return undefined;
  const { line, file } = outcome.problem.place;
  const rules = stage.carrier.operations.create?.steps.flatMap(({ outcomes }) => outcomes) ?? [];
  return rules.find(({ place }) => place.line === line && place.file === file)?.place;
};

const RETRY_AFTER_S = 7;

const throttled: Scenario = {
  name: 'too-many-requests',
  title: '429: the engine waits as told, and asks the same again',
  run: async (stage) => {
    const { at } = await rehearse(stage);
    const acted = await create(stage, {
      instead: once(at, answer(429, { 'retry-after': String(RETRY_AFTER_S) })),
      enough: at + 1,
    });
    const { place, attempts } = firstStep(stage);
    if (acted.words[at - 1] === 'succeed') return [{ message: '429 counts as a success', place }];
    const first = acted.sent[at - 1];
    const [waitMs] = acted.double.waitsMs;
    if (waitMs === undefined) {
      const own = ruleOf(stage, acted);
      if (own !== undefined || attempts === 1) return [];
      return [{ message: `429 is no reason to wait: ${saidOf(acted)}`, place }];
    }
    return [
      ...(waitMs < RETRY_AFTER_S * 1_000
        ? [{ message: `Retry-After says ${RETRY_AFTER_S} s, but the engine waits ${waitMs} ms`, place }]
        : []),
      ...(isSameRequest(first, acted.sent[at]) ? [] : [{ message: 'not the same request again', place }]),
    ];
  },
};

const saidOf = ({ outcome }: Acted): string =>
  outcome.kind === 'done' ? 'it counts as done' : describe(outcome.problem);

/** Nobody knows what the carrier did: what follows is what the profile says the carrier promises (§3.5). */
const inDoubt =
  (fault: (at: number) => WireOutcome) =>
  async (stage: Stage): Promise<readonly Complaint[]> => {
    const { at } = await rehearse(stage);
    const acted = await create(stage, { instead: once(at, fault(at)), enough: at + 1 });
    const { place } = firstStep(stage);
    if (acted.words[at - 1] === 'succeed') return [{ message: 'it counts as a success', place }];
    const again = acted.sent[at];
    const { operations } = stage.carrier;
    const promise: Idempotency | undefined = operations.create?.steps[0].idempotency ?? operations.create?.idempotency;
    const own = ruleOf(stage, acted);
    if (own !== undefined && acted.outcome.kind !== 'done') return [];
    if (promise !== undefined && promise.by !== 'none') {
      return isSameRequest(acted.sent[at - 1], again)
        ? []
        : [
            {
              message: `idempotency is ${promise.by}, but not the same request goes out again: ${saidOf(acted)}`,
              place,
            },
          ];
    }
    if (again !== undefined && isSameRequest(acted.sent[at - 1], again)) {
      return [{ message: 'it is sent once more, although the carrier promises nothing of a repeat', place }];
    }
    if (operations.lookup !== undefined && operations.create?.steps.length === 1) {
      return again === undefined ? [{ message: `lookup is not asked: ${saidOf(acted)}`, place }] : [];
    }
    return acted.outcome.kind === 'held' && acted.outcome.why === 'unknown_outcome'
      ? []
      : [{ message: `nobody knows what the carrier did, yet the outcome is ${acted.outcome.kind}`, place }];
  };

const timeout: Scenario = {
  name: 'timeout-after-send',
  title: 'no answer after the request was sent',
  run: inDoubt(() => ({ kind: 'ambiguous', code: 'timeout', message: 'no answer in time' })),
};

const HTML = '<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>';

const badGateway: Scenario = {
  name: 'html-502',
  title: '502 with an HTML page',
  run: inDoubt(() => answer(502, { 'content-type': 'text/html' }, HTML)),
};

const expiredToken: Scenario = {
  name: 'expired-token',
  title: '401: one new login, and the same request again',
  run: async (stage) => {
    const auths = stage.carrier.operations.create?.steps[0].auth ?? [];
    if (!auths.some(({ kind }) => kind === 'oauth2' || kind === 'session')) throw new Pending('no auth has a token');
    const { acted: before } = await rehearse(stage);
    // Another create of the same account: it has the token already, and the carrier no longer takes it.
    const acted = await perform(stage, before.story, { do: 'create' }, { instead: once(1, answer(401)), enough: 4 });
    const { place } = firstStep(stage);
    const [first, ...rest] = acted.sent;
    const again = rest.findIndex(({ method, url }) => method === first?.method && url === first.url);
    if (again > 0) return [];
    if (again === 0) return [{ message: 'after 401 the request goes out again without a new login', place }];
    if (ruleOf(stage, acted) !== undefined) throw new Pending('the profile has a rule of its own for 401');
    return [{ message: `after 401 nothing is asked again: ${saidOf(acted)}`, place }];
  },
};

export const FAULTS: readonly Scenario[] = [throttled, timeout, badGateway, expiredToken];
