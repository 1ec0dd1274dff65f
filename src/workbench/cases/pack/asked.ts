/** Scenarios of what is asked for by itself: what a carrier does not say is never made up. */
import { ASKED_NAMES, isAsked, type AskedName } from '../../../engine/ask/operations.ts';
import type { Offer } from '../../../engine/rates/offer.ts';
import { describeProblem } from '../../../engine/failure.ts';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import type { WireOutcome } from '../../../engine/transport/wire.ts';
import { isMap } from '../../../engine/value.ts';
import type { CaseFile } from '../read.ts';
import { type Act, type Acted, begin, type Complaint, Pending, perform, type Scenario, type Stage } from './stage.ts';

/** The first case that begins with the operation and shows it going well. */
const caseOf = ({ asks }: Stage, name: AskedName): CaseFile => {
  const found = asks.find(({ content }) => content.flow[0]?.do === name);
  if (found === undefined) throw new Pending(`no case begins with ${name} and shows that it succeeds`);
  return found;
};

const asked = async (stage: Stage, name: AskedName, act: Act = {}): Promise<Acted> => {
  const from = caseOf(stage, name);
  return await perform(stage, begin(stage, from), { do: name }, { ...act, from });
};

const offersOf = ({ outcome }: Acted): readonly Offer[] =>
  outcome.kind === 'done' ? (outcome.result as readonly Offer[]) : [];

/** Of offers that a case shows: what is made of them when their answer is another. */
const rates = (
  name: string,
  title: string,
  change: (answer: unknown, totals: ReadonlySet<number>) => unknown,
  judge: (altered: Acted) => readonly Complaint[],
): Scenario => ({
  name,
  title,
  isFor: ({ operations }) => operations.rates !== undefined,
  place: ({ operations }) => operations.rates?.place,
  run: async (stage) => {
    const totals = new Set(offersOf(await asked(stage, 'rates')).map(({ total }) => total));
    if (totals.size === 0) throw new Pending('no case shows an offer');
    let isChanged = false;
    const alter = (outcome: WireOutcome): WireOutcome => {
      const tree = outcome.kind === 'answer' ? jsonOf(outcome.body) : undefined;
      if (outcome.kind !== 'answer' || tree === undefined) return outcome;
      const body = Buffer.from(JSON.stringify(change(tree, totals)));
      isChanged ||= body.toString() !== JSON.stringify(tree);
      return { ...outcome, body };
    };
    const altered = await asked(stage, 'rates', { alter });
    if (!isChanged) throw new Pending('no answer in JSON shows a price as it is offered');
    return judge(altered);
  },
});

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const isOneOf = (value: unknown, totals: ReadonlySet<number>): boolean =>
  (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) && totals.has(Number(value));

/** Without the fields that are a total. */
const withoutPrices = (value: unknown, totals: ReadonlySet<number>): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutPrices(each, totals));
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, held]) => !isOneOf(held, totals));
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutPrices(held, totals)]));
};

/** With nothing in the outermost lists that have a total within. */
const withoutOffers = (value: unknown, totals: ReadonlySet<number>): unknown => {
  if (Array.isArray(value)) return holds(value, totals) ? [] : value;
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withoutOffers(held, totals)]));
};

const holds = (value: unknown, totals: ReadonlySet<number>): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some((held) => holds(held, totals))
    : isOneOf(value, totals);

const withoutPrice = rates(
  'rates-without-price',
  'an answer without a price is no offer for nothing',
  withoutPrices,
  (altered) =>
    offersOf(altered).some(({ total }) => total === 0) ? ['a price that is missing becomes an offer of 0'] : [],
);

const noOffers = rates('rates-empty', 'an empty list of prices is no offer, and no error', withoutOffers, (altered) => {
  const { outcome } = altered;
  if (outcome.kind === 'held') return [`an empty list is an error: ${describeProblem(outcome.problem)}`];
  return offersOf(altered).length > 0 ? ['offers are made of an empty list'] : [];
});

const namesOf = ({ operations }: Carrier): readonly AskedName[] => ASKED_NAMES.filter((name) => name in operations);

const unavailable: Scenario = {
  name: 'asked-unavailable',
  title: '503 to what is asked for by itself does not count as done',
  isFor: (carrier) => namesOf(carrier).length > 0,
  place: ({ operations }) => Object.values(operations).find(({ name }) => isAsked(name))?.place,
  run: async (stage) => {
    const known = namesOf(stage.carrier).filter((name) =>
      stage.asks.some(({ content }) => content.flow[0]?.do === name),
    );
    if (known.length === 0) throw new Pending('no case begins with such an operation and shows that it succeeds');
    const complaints: Complaint[] = [];
    for (const name of known) {
      const { requests, sent } = await asked(stage, name);
      const at = requests[0] === undefined ? 0 : sent.indexOf(requests[0]) + 1;
      const instead = (count: number): WireOutcome | undefined =>
        count === at ? { kind: 'answer', status: 503, headers: {}, body: Buffer.alloc(0) } : undefined;
      const { outcome } = await asked(stage, name, { instead, enough: at });
      if (at > 0 && outcome.kind === 'done') complaints.push(`${name} counts as done`);
    }
    return complaints;
  },
};

export const ASKED: readonly Scenario[] = [withoutPrice, noOffers, unavailable];
