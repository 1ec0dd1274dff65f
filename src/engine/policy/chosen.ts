/** What a policy chose for an order, as its consignment keeps it. Reads what may not have been checked yet. */
import type { ChoiceEntry } from '../consignment/reply.ts';
import type { Problem } from '../failure.ts';
import { isMap, valueAt } from '../value.ts';
import type { Choice, Considered } from './choice.ts';

/** A carrier that certainly has nothing of the order, though it was asked. */
interface Tried extends Pick<Considered, 'carrier' | 'service'>, Pick<Problem, 'code' | 'messages' | 'fields'> {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** JSON. */
export interface Chosen extends Choice {
  /** Which of `considered` has the order, or is to have it. */
  readonly taken: number;
  readonly tried: readonly Tried[];
}

export const takenOf = ({ considered, taken }: Chosen): Considered => considered[taken] as Considered;

/** As shippers are told of it. */
export const choiceEntry = (chosen: Chosen): ChoiceEntry => {
  const { policy, rule, tried } = chosen;
  const { carrier: carrierCode, service, offer } = takenOf(chosen);
  return {
    policy,
    ...(rule !== undefined && { rule }),
    carrierCode,
    ...(service !== undefined && { service }),
    ...(offer && { total: offer.total, currency: offer.currency }),
    tried: tried.map(({ carrier: triedCode, service: triedService, at, code, messages }) => ({
      carrierCode: triedCode,
      ...(triedService !== undefined && { service: triedService }),
      at,
      code,
      messages: [...messages],
    })),
  };
};

/** Those that the order may go with, in the order of their ranks, each with its place. */
export const rankedOf = ({ considered }: Choice): readonly (readonly [at: number, one: Considered])[] =>
  [...considered.entries()].filter(([, { rank }]) => rank !== undefined);

/** The one that has it has certainly nothing of it. */
export const triedInVain = (chosen: Chosen, { code, messages, fields }: Problem, atMs: number): Chosen => {
  const { carrier, service } = takenOf(chosen);
  const tried = {
    carrier,
    ...(service && { service }),
    at: new Date(atMs).toISOString(),
    code,
    messages,
    ...(fields && { fields }),
  };
  return { ...chosen, tried: [...chosen.tried, tried] };
};

/** Prices and days hold no more: the order is another one now. */
export const withoutOffers = (chosen: Chosen): Chosen => ({
  ...chosen,
  considered: chosen.considered.map((one) => {
    const { offer: _, ...rest } = one;
    return rest;
  }),
});

/** The order as this carrier gets it: with its code, its service and its number of the quote. */
export const orderFor = <Body>(body: Body, { carrier: code, service, offer }: Considered): Body => {
  const [details, carrier] = [valueAt(body, 'consignmentDetails'), valueAt(body, 'carrier')];
  if (!isMap(body) || !isMap(details) || !isMap(carrier)) return body;
  const { additionalInformation: information = {} } = details;
  const { rateId } = offer ?? {};
  return {
    ...body,
    consignmentDetails: {
      ...details,
      ...(service && { serviceType: service }),
      ...(rateId !== undefined && isMap(information) && { additionalInformation: { ...information, rateId } }),
    },
    carrier: { ...carrier, code },
  };
};
