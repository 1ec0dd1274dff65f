/** Prices and times before there is an order: carriers are asked side by side, and who is late is named. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { gistOf } from '../../engine/rates/question.ts';
import { timesByTransit } from '../../engine/rates/quote.ts';
import { listAccounts } from '../records/accounts.ts';
import type { ShipperBearer } from './bearer.ts';
import { type Asked, take, unavailable, wrongWith } from './checkout-question.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, stamped } from './http-answer.ts';
import {
  type OfferView,
  Question,
  QUESTION_WAIT_MS,
  RatesReply,
  TurnaroundEntry,
  TurnaroundReply,
  type Unavailable,
} from './inquiry-shapes.ts';
import { writeOfferId } from './offer-id.ts';
import { viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Checkout' } as const;

/** How long an offer holds for a create. */
const OFFER_MS = 30 * 60_000;
const ANSWER_WITHIN_MS = 15_000;
const SIDE_BY_SIDE =
  'Carriers are asked side by side; who has not answered in time is named beside the others. Equal questions are ' +
  'answered from what carriers said in the last five minutes: `askedAt` says when.';

export const addCheckoutRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  route('POST /v2/checkout/rates', {
    id: 'checkoutRates',
    summary: 'What carriers would take for a consignment, and when they would bring it',
    description: SIDE_BY_SIDE,
    body: Question,
    reply: [RatesReply, 'The offers.'],
    errors: [422],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body }) => {
      const asked = await askSideBySide(deps, shipper, body, pricesOf);
      if ('status' in asked) return asked;
      return stamped<RatesReply>({
        status: 'OK',
        data: {
          offers: asked.found.toSorted(
            (one, other) => one.currency.localeCompare(other.currency) || one.total - other.total,
          ),
          unavailable: asked.unavailable,
        },
      });
    },
  });
  route('POST /v2/checkout/turnaround', {
    id: 'checkoutTurnaround',
    summary: 'When carriers would bring a consignment, without prices',
    description: SIDE_BY_SIDE,
    body: Question,
    reply: [TurnaroundReply, 'The times.'],
    errors: [422],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body }) => {
      const asked = await askSideBySide(deps, shipper, body, timesOf);
      if ('status' in asked) return asked;
      return stamped<TurnaroundReply>({
        status: 'OK',
        data: {
          services: asked.found.toSorted((one, other) => (speedOf(one) < speedOf(other) ? -1 : 1)),
          unavailable: asked.unavailable,
        },
      });
    },
  });
};

/** Days alone come after windows: nobody knows when they begin. */
const speedOf = ({ deliveryTo = '~', transitDays = 0 }: TurnaroundEntry): string =>
  `${deliveryTo} ${String(transitDays).padStart(4, '0')}`;

/** Whether it quotes prices. */
export const tellsPrices = ({ operations, tariffs }: Carrier): boolean =>
  operations.rates !== undefined || tariffs.length > 0;
/** Whether it, or its configuration, may say when it would bring something. */
export const tellsTimes = ({ operations, transit }: Carrier): boolean =>
  operations.rates !== undefined || transit !== undefined;

/** What carriers are asked for. */
interface Inquiry<Found> {
  /** Whether it is asked where nobody names carriers. */
  readonly fits: (carrier: Carrier) => boolean;
  readonly ask: (deps: ApiDeps, asked: Asked) => Promise<readonly Found[] | Unavailable>;
}

const askSideBySide = async <Found>(
  deps: ApiDeps,
  shipper: ShipperBearer,
  { waitMs = QUESTION_WAIT_MS, carriers, ...question }: Static<typeof Question>,
  { fits, ask }: Inquiry<Found>,
): Promise<{ readonly found: Found[]; readonly unavailable: Unavailable[] } | HttpAnswer> => {
  const wrong = wrongWith(question, deps.nowMs());
  if (wrong !== undefined) return wrong;
  const { code, environment } = shipper;
  const accounts = await listAccounts(deps.pool, { shipper: code, environment, state: 'active', limit: 500 });
  const accountOf = new Map(accounts.map(({ id, carrierCode }) => [carrierCode, id]));
  const isAsked = (one: string): boolean => {
    const carrier = deps.carriers.find(one);
    return carrier !== undefined && fits(carrier);
  };
  const wanted = carriers ?? [...accountOf.keys()].filter(isAsked);
  const askOne = async (carrierCode: string): Promise<readonly Found[] | Unavailable> => {
    const ready = await take(deps, shipper, { carrierCode, accountId: accountOf.get(carrierCode), question });
    return 'code' in ready ? ready : await ask(deps, ready);
  };
  const stopped = new AbortController();
  const late = sleep(waitMs, 'late' as const, { signal: stopped.signal });
  const answers = await Promise.all(
    [...new Set(wanted)].map(async (carrierCode) => {
      // Its answer may come too late for this question, and in time for the next.
      const answer = await Promise.race([askOne(carrierCode).catch(toUnavailable(carrierCode)), late]);
      return answer === 'late' ? unavailable(carrierCode, 'late', `no answer within ${waitMs} ms`) : answer;
    }),
  );
  stopped.abort();
  late.catch(() => undefined);
  return {
    found: answers.flatMap((one) => ('code' in one ? [] : one)),
    unavailable: answers.flatMap((one) => ('code' in one ? [one] : [])),
  };
};

const toUnavailable =
  (carrierCode: string) =>
  (thrown: unknown): Unavailable =>
    unavailable(carrierCode, thrown instanceof Failure ? thrown.code : 'failed', messageOf(thrown));

const quoteOf = async (deps: ApiDeps, { shipper: { environment }, carrier, accountId, ...asked }: Asked) => {
  const { consignment, service } = asked;
  const { quoted, askedAtMs } = await deps.quote({ carrier, accountId, environment, consignment, service });
  if ('failed' in quoted) return unavailable(carrier.code, quoted.failed.code, ...quoted.failed.messages);
  return { offers: quoted.offers, askedAt: new Date(askedAtMs).toISOString() };
};

const pricesOf: Inquiry<OfferView> = {
  fits: tellsPrices,
  ask: async (deps, asked) => {
    const quoted = await quoteOf(deps, asked);
    if ('code' in quoted) return quoted;
    const { code: carrierCode, name: carrierName } = asked.carrier;
    const [expiresAtMs, gist] = [deps.nowMs() + OFFER_MS, gistOf(asked.order)];
    return quoted.offers.map((offer) => ({
      offerId: writeOfferId(deps.sealer, asked.shipper, { ...offer, carrierCode, expiresAtMs, gist }),
      carrierCode,
      carrierName,
      ...offer,
      askedAt: quoted.askedAt,
      expiresAt: new Date(expiresAtMs).toISOString(),
    }));
  },
};

const timesOf: Inquiry<TurnaroundEntry> = {
  fits: tellsTimes,
  ask: async (deps, asked) => {
    const { carrier, consignment, service } = asked;
    const { code: carrierCode, name: carrierName } = carrier;
    const known = timesByTransit(carrier, consignment, service, deps.nowMs());
    const quoted =
      known === undefined
        ? await quoteOf(deps, asked)
        : { offers: known, askedAt: new Date(deps.nowMs()).toISOString() };
    if ('code' in quoted) return quoted;
    const { offers, askedAt } = quoted;
    const timed = offers.filter(({ deliveryTo, transitDays }) => deliveryTo !== undefined || transitDays !== undefined);
    if (timed.length === 0) return unavailable(carrierCode, 'no_times', 'nothing says when it would bring it');
    return timed.map((offer) => viewOf(TurnaroundEntry, { carrierCode, carrierName, ...offer, askedAt }));
  },
};
