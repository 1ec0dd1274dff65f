/** Scenarios of what goes wrong on the way: nothing is lost, nothing is done twice, and half a label is no label. */
import { labelBytes } from '../../../engine/codecs/label-document.ts';
import { describeProblem, type Place } from '../../../engine/failure.ts';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import type { WireOutcome } from '../../../engine/transport/wire.ts';
import { isSameRequest } from './request-values.ts';
import {
  type Act,
  type Acted,
  baseCase,
  type Complaint,
  create,
  Pending,
  perform,
  type Scenario,
  type Stage,
  whyNot,
} from './stage.ts';

const firstStep = (carrier: Carrier): Place | undefined => carrier.operations.create?.steps[0].place;

/** The first call of a create that is no login, where the fault will come: which of all requests it is, counted from 1. */
const rehearse = async (stage: Stage): Promise<{ readonly acted: Acted; readonly at: number }> => {
  const acted = await create(stage);
  const [request] = acted.requests;
  if (request === undefined) throw new Pending(whyNot(acted, 'no request is built'));
  return { acted, at: acted.sent.indexOf(request) + 1 };
};

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): WireOutcome => ({
  kind: 'answer',
  status,
  headers,
  body: Buffer.from(body),
});

const once =
  (at: number, outcome: WireOutcome): NonNullable<Act['instead']> =>
  (count) =>
    count === at ? outcome : undefined;

/** The profile answers this by a rule of its own. */
const hasOwnRule = ({ carrier }: Stage, { outcome }: Acted): boolean => {
  const place = outcome.kind === 'done' ? undefined : outcome.problem.place;
  const rules = carrier.operations.create?.steps.flatMap(({ outcomes }) => outcomes) ?? [];
  return rules.some((rule) => rule.place.line === place?.line && rule.place.file === place.file);
};

const endOf = ({ outcome }: Acted): string =>
  outcome.kind === 'done' ? 'it counts as done' : describeProblem(outcome.problem);

const RETRY_AFTER_S = 7;

const throttled: Scenario = {
  name: 'too-many-requests',
  title: '429: the engine waits as told, and asks the same again',
  place: firstStep,
  run: async (stage) => {
    const { at } = await rehearse(stage);
    const instead = once(at, answer(429, { 'retry-after': String(RETRY_AFTER_S) }));
    const acted = await create(stage, { instead, enough: at + 1 });
    if (acted.words[at - 1] === 'succeed') return ['429 counts as a success'];
    const [waitMs] = acted.waitsMs;
    if (waitMs === undefined) {
      const attempts = stage.carrier.operations.create?.steps[0].retry.attempts ?? 1;
      return hasOwnRule(stage, acted) || attempts === 1 ? [] : [`429 is no reason to wait: ${endOf(acted)}`];
    }
    return [
      ...(waitMs < RETRY_AFTER_S * 1_000
        ? [`Retry-After says ${RETRY_AFTER_S} s, but the engine waits ${waitMs} ms`]
        : []),
      ...(isSameRequest(acted.sent[at - 1], acted.sent[at]) ? [] : ['not the same request again']),
    ];
  },
};

/** Nobody knows what the carrier did: what follows is what the profile says the carrier promises. */
const inDoubt =
  (fault: WireOutcome) =>
  async (stage: Stage): Promise<readonly Complaint[]> => {
    const { at } = await rehearse(stage);
    const acted = await create(stage, { instead: once(at, fault), enough: at + 1 });
    const { outcome } = acted;
    if (acted.words[at - 1] === 'succeed') return ['it counts as a success'];
    if (hasOwnRule(stage, acted) && outcome.kind !== 'done') return [];
    const again = acted.sent[at];
    const isRepeated = isSameRequest(acted.sent[at - 1], again);
    const { create: whole } = stage.carrier.operations;
    const step = whole?.steps.find(({ id }) => id === acted.steps[at - 1]) ?? whole?.steps[0];
    const operation = whole?.variants[step?.variant ?? -1]?.operation ?? whole;
    const { by } = step?.idempotency ?? operation?.idempotency ?? { by: 'none' };
    if (by !== 'none') {
      return isRepeated ? [] : [`idempotency is ${by}, but not the same request goes out again: ${endOf(acted)}`];
    }
    if (isRepeated) return ['it is sent once more, although the carrier promises nothing of a repeat'];
    if (operation?.steps[0].lookup !== undefined) {
      return again === undefined ? [`lookup is not asked: ${endOf(acted)}`] : [];
    }
    return outcome.kind === 'held' && outcome.why === 'unknown_outcome'
      ? []
      : [`nobody knows what the carrier did, yet the outcome is ${outcome.kind}`];
  };

const doubtful = (name: string, title: string, fault: WireOutcome): Scenario => ({
  name,
  title,
  place: firstStep,
  run: inDoubt(fault),
});
const HTML = '<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>';

const expiredToken: Scenario = {
  name: 'expired-token',
  title: '401: one new login, and the same request again',
  place: firstStep,
  run: async (stage) => {
    const auths = stage.carrier.operations.create?.steps[0].auth ?? [];
    if (!auths.some(({ kind }) => kind === 'oauth2' || kind === 'session')) throw new Pending('no auth has a token');
    const { acted: before } = await rehearse(stage);
    // Another create of the same account: it has the token already, and the carrier no longer takes it.
    const acted = await perform(stage, before.story, { do: 'create' }, { instead: once(1, answer(401)), enough: 4 });
    const [first, ...rest] = acted.sent;
    const again = rest.findIndex(({ method, url }) => method === first?.method && url === first.url);
    if (again > 0) return [];
    if (again === 0) return ['after 401 the request goes out again without a new login'];
    if (hasOwnRule(stage, acted)) throw new Pending('the profile has a rule of its own for 401');
    return [`after 401 nothing is asked again: ${endOf(acted)}`];
  },
};

const truncatedLabel: Scenario = {
  name: 'truncated-label',
  title: 'a label cut in half is refused, not stored',
  place: ({ operations: { label, create: operation } }) => (label ?? operation)?.place,
  run: async (given) => {
    // A label printed from the profile's template shows nothing of what the carrier sends.
    const stage: Stage = { ...given, carrier: { ...given.carrier, labelTemplate: undefined } };
    let why: string | undefined;
    for (const from of [baseCase(stage), ...stage.creates]) {
      const whole = await labelled(stage, { from });
      if (goodLabels(whole).length === 0) {
        why ??= whyNot(whole, 'no case shows a label');
        continue;
      }
      const stored = goodLabels(await labelled(stage, { from, alter: cutLabels }));
      return stored.length === 0 ? [] : [`half a label counts as a good ${stored.join(', ')}`];
    }
    throw new Pending(why);
  },
};

/** A create, and what fetches labels: an operation, or the URL that an answer named. */
const labelled = async (stage: Stage, act: Act): Promise<Acted> => {
  const acted = await create(stage, act);
  const isFetched = stage.carrier.operations.label !== undefined || acted.story.labelUrls.size > 0;
  return !isFetched || acted.outcome.kind !== 'done' ? acted : await perform(stage, acted.story, { do: 'label' }, act);
};

const FORMATS: ReadonlySet<string> = new Set(['PDF', 'ZPL', 'PNG', 'GIF', 'JPEG', 'EPL']);

const goodLabels = ({ outcome, labels }: Acted): readonly string[] =>
  outcome.kind === 'done' ? Object.values(labels).filter((format) => FORMATS.has(format)) : [];

const BASE64 = /[A-Za-z0-9+/]{8,}={0,2}/g;
const ENDS = /%%EOF|\^XZ|IEND/gi;

/** Halves every label of an answer: those in base64, in whatever format they lie, and those as they are. */
const cutLabels = (outcome: WireOutcome): WireOutcome => {
  if (outcome.kind !== 'answer') return outcome;
  const text = outcome.body
    .toString('latin1')
    .replaceAll(BASE64, (run) => {
      const label = labelBytes(run);
      return label.ok ? label.bytes.subarray(0, label.bytes.length / 2).toString('base64') : run;
    })
    .replaceAll(ENDS, (end) => 'x'.repeat(end.length));
  return { ...outcome, body: Buffer.from(text, 'latin1') };
};

export const FAULTS: readonly Scenario[] = [
  throttled,
  doubtful('timeout-after-send', 'no answer after the request was sent', {
    kind: 'ambiguous',
    code: 'timeout',
    message: 'no answer in time',
  }),
  doubtful('html-502', '502 with an HTML page', answer(502, { 'content-type': 'text/html' }, HTML)),
  expiredToken,
  truncatedLabel,
];
