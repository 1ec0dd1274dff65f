/** Prices and times before there is an order: carriers are asked side by side, and who is late is named. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { Issue } from '../../engine/validate.ts';
import { takeOrder } from '../../engine/consignment/intake.ts';
import { serviceNames } from '../../engine/consignment/service.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { Offer } from '../../engine/rates/offer.ts';
import { gistOf, orderToAsk, RatesQuestion } from '../../engine/rates/question.ts';
import { isTimeZone } from '../../engine/time-zone.ts';
import { valueAt } from '../../engine/value.ts';
import { listAccounts } from '../records/accounts.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, stamped } from './http-answer.ts';
import { writeOfferId } from './offer-id.ts';
import { instant } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Checkout' } as const;

const WAIT_MS = 2_500;
const Question = Type.Object({
  ...RatesQuestion.properties,
  waitMs: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 10_000,
      description: `How long carriers are waited for. Default: ${WAIT_MS}.`,
    }),
  ),
});

const localTime = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-05-04 18:00:00'] }));
const OfferView = Type.Object({
  offerId: Type.String({ description: '`carrier.offerId` of a create.' }),
  carrierCode: Type.String(),
  carrierName: Type.String(),
  ...Offer.properties,
  currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
  deliveryFrom: localTime('The earliest delivery, local to the destination.'),
  deliveryTo: localTime('The latest delivery, local to the destination.'),
  cutOff: localTime('Until when it has to be handed over, local to the origin.'),
  askedAt: instant('When the carrier said so.'),
  expiresAt: instant('Until when a create may have it.'),
});
const Unavailable = Type.Object({
  carrierCode: Type.String(),
  code: Type.String({ description: '`late`, `not_offered`, `refused`, or the code of what failed.' }),
  messages: Type.Array(Type.String()),
});
const Reply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Object({
    offers: Type.Array(OfferView, { description: 'By currency and total, the cheapest first.' }),
    unavailable: Type.Array(Unavailable, { description: 'Carriers without an offer, and why.' }),
  }),
});
type Reply = Static<typeof Reply>;
type OfferView = Static<typeof OfferView>;
type Unavailable = Static<typeof Unavailable>;

/** How long an offer holds for a create. */
const OFFER_MS = 30 * 60_000;

export const addCheckoutRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  route('POST /v2/checkout/rates', {
    id: 'checkoutRates',
    summary: 'What carriers would take for a consignment, and when they would bring it',
    description:
      'Carriers are asked side by side; who has not answered in time is named beside the offers. Equal questions are ' +
      'answered from what carriers said in the last five minutes: `askedAt` says when.',
    body: Question,
    reply: [Reply, 'The offers.'],
    answerWithinMs: 15_000,
    handle: async ({ shipper, body }) => await findOffers(deps, shipper, body),
  });
};

const findOffers = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { waitMs = WAIT_MS, carriers, ...question }: Static<typeof Question>,
): Promise<HttpAnswer> => {
  const { code, environment } = shipper;
  const accounts = await listAccounts(deps.pool, { shipper: code, environment, state: 'active', limit: 500 });
  const accountOf = new Map(accounts.map(({ id, carrierCode }) => [carrierCode, id]));
  const wanted = carriers ?? [...accountOf.keys()].filter((one) => quotes(deps.carriers.find(one)));
  const stopped = new AbortController();
  const late = sleep(waitMs, 'late' as const, { signal: stopped.signal });
  const asked = await Promise.all(
    [...new Set(wanted)].map(async (carrierCode) => {
      const asking = askOne(deps, shipper, { carrierCode, accountId: accountOf.get(carrierCode), question });
      // Its answer may come too late for this question, and in time for the next.
      const answer = await Promise.race([asking.catch(toUnavailable(carrierCode)), late]);
      return answer === 'late' ? unavailable(carrierCode, 'late', `no answer within ${waitMs} ms`) : answer;
    }),
  );
  stopped.abort();
  late.catch(() => undefined);
  const offers = asked.flatMap((one) => ('offers' in one ? one.offers : []));
  return stamped<Reply>({
    status: 'OK',
    data: {
      offers: offers.toSorted((one, other) => one.currency.localeCompare(other.currency) || one.total - other.total),
      unavailable: asked.flatMap((one) => ('offers' in one ? [] : [one])),
    },
  });
};

const quotes = (carrier: Carrier | undefined): boolean =>
  carrier !== undefined && (carrier.operations.rates !== undefined || carrier.tariffs.length > 0);

const unavailable = (carrierCode: string, code: string, ...messages: readonly string[]): Unavailable => ({
  carrierCode,
  code,
  messages: [...messages],
});
const toUnavailable =
  (carrierCode: string) =>
  (thrown: unknown): Unavailable =>
    unavailable(carrierCode, thrown instanceof Failure ? thrown.code : 'failed', messageOf(thrown));

interface OneQuestion {
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  readonly question: Readonly<Record<string, unknown>>;
}

const askOne = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { carrierCode, accountId, question }: OneQuestion,
): Promise<{ readonly offers: readonly OfferView[] } | Unavailable> => {
  const carrier = deps.carriers.find(carrierCode);
  if (carrier === undefined || accountId === undefined)
    return unavailable(carrierCode, 'account_known', `you have no ${shipper.environment} account with ${carrierCode}`);
  const details = question['consignmentDetails'] as { readonly serviceType?: string };
  const taken = await take(carrier, question, details.serviceType, deps.nowMs());
  if (taken.kind !== 'ready')
    return unavailable(carrierCode, 'refused', ...taken.issues.map(({ message }: Issue) => message));
  const { consignment, service, order } = taken;
  const { quoted, askedAtMs } = await deps.quote({
    carrier,
    accountId,
    environment: shipper.environment,
    consignment,
    service: details.serviceType === undefined ? undefined : service,
  });
  if ('failed' in quoted) return unavailable(carrierCode, quoted.failed.code, ...quoted.failed.messages);
  const [expiresAtMs, gist] = [deps.nowMs() + OFFER_MS, gistOf(order)];
  return {
    offers: quoted.offers.map((offer) => ({
      offerId: writeOfferId(deps.sealer, shipper, { ...offer, carrierCode, expiresAtMs, gist }),
      carrierCode,
      carrierName: carrier.name,
      ...offer,
      askedAt: new Date(askedAtMs).toISOString(),
      expiresAt: new Date(expiresAtMs).toISOString(),
    })),
  };
};

/** The question as this carrier is sent orders: what its profile refuses of an order, it need not be asked. */
const take = async (
  carrier: Carrier,
  question: OneQuestion['question'],
  service: string | undefined,
  nowMs: number,
) => {
  const timeZone = valueAt(question, 'shipFrom', 'timezone');
  const isKnown = typeof timeZone === 'string' && isTimeZone(timeZone);
  const today = new Date(nowMs).toLocaleDateString('sv-SE', { timeZone: isKnown ? timeZone : 'UTC' });
  const body = orderToAsk(question, carrier.code, service ?? serviceNames(carrier)[0] ?? 'STANDARD', today);
  return await takeOrder(body, carrier, { nowMs, isQuestion: true });
};
