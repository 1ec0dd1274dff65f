/** From an order as it came to what a carrier is sent of it. */
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import { piece } from '../large.ts';
import type { Issue } from '../validate.ts';
import type { Consignment } from './consignment.ts';
import { profileOf } from './levels.ts';
import { readOrder, readUpdated } from './read.ts';
import { breachesOf, unknownCarrier } from './rules.ts';
import { slipsOf } from './information-rules.ts';
import type { Order } from './order.ts';
import type { Warning } from './reply.ts';
import { lackingIssues } from './required.ts';
import { chooseLabelFormat, findService } from './service.ts';
import { translate, type TranslationContext } from './translate.ts';

export interface IntakeContext {
  /** The order as it was before an update; undefined: it is created. */
  readonly before?: Order | undefined;
  readonly nowMs: number;
  /** What is known of the shipper; without it `shipFrom` stands for the shipper. */
  readonly details?: Pick<TranslationContext, 'shipper' | 'merchantCode' | 'shipperTaxNumber' | 'billTo'>;
  /** Only a question, such as one for prices: what a carrier needs beyond what every order has may come later. */
  readonly isQuestion?: boolean;
  /** What else stands against sending this carrier an order. */
  readonly issues?: readonly Issue[];
}

export interface ReadyOrder {
  readonly kind: 'ready';
  readonly order: Order;
  readonly carrier: Carrier;
  readonly service: ServiceRow;
  readonly consignment: Consignment;
  /** What the order has to no effect. */
  readonly warnings: readonly Warning[];
}

export type OrderIntake =
  | ReadyOrder
  /** `invalid`: its structure is wrong (400); `refused`: it breaks rules, all of which are named (422). */
  | { readonly kind: 'invalid' | 'refused'; readonly issues: readonly Issue[] };

/** Structure first, then every rule at once. `carrier` is the one that the body names, if there is such a one. */
export const takeOrder = async (
  body: unknown,
  carrier: Carrier | undefined,
  { before, nowMs, details = {}, isQuestion = false, issues: others = [] }: IntakeContext,
): Promise<OrderIntake> => {
  const levels = carrier === undefined ? 'OP' : profileOf(carrier.capabilities);
  const read = await piece(() => (before === undefined ? readOrder : readUpdated)(body, levels));
  if (!read.ok) return { kind: 'invalid', issues: read.issues };
  const order = read.value;
  if (carrier === undefined) return { kind: 'refused', issues: [unknownCarrier(order.carrier.code)] };
  const service = findService(carrier, order);
  const issues = [...(await piece(() => breachesOf(order, carrier, before))), ...others];
  if (service === undefined) return { kind: 'refused', issues };
  const context: TranslationContext = {
    operation: before === undefined ? 'create' : 'update',
    carrierCode: carrier.code,
    service,
    labelFormat: chooseLabelFormat(order.consignmentDetails, carrier.labels.formats),
    ...details,
  };
  const consignment = await piece(() => translate(order, context));
  if (!isQuestion) issues.push(...(await lackingIssues(carrier, consignment, service, nowMs)));
  if (issues.length > 0) return { kind: 'refused', issues };
  return { kind: 'ready', order, carrier, service, consignment, warnings: slipsOf(order, carrier) };
};
