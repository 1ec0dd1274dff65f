/** A question of a checkout, as one that makes sense to anybody, and as each carrier is asked it. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { takeOrder } from '../../engine/consignment/intake.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { readOrder } from '../../engine/consignment/read.ts';
import { breachesOfAny } from '../../engine/consignment/rules.ts';
import { serviceNames } from '../../engine/consignment/service.ts';
import type { Carrier, ServiceRow } from '../../engine/profile/carrier.ts';
import { lackingOfQuestion, orderToAsk, pastIssues } from '../../engine/rates/question.ts';
import { isTimeZone, localDay } from '../../engine/time-zone.ts';
import type { Issue } from '../../engine/validate.ts';
import { valueAt } from '../../engine/value.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, type HttpAnswer } from './http-answer.ts';
import type { Unavailable } from './inquiry-shapes.ts';
import { brokenRules } from './order-intake.ts';

/** A carrier that would take the order, and the order as it would get it. */
export interface Asked {
  readonly shipper: ShipperBearer;
  readonly carrier: Carrier;
  readonly accountId: number;
  readonly order: Order;
  readonly consignment: Consignment;
  /** The one that is wished for. */
  readonly service: ServiceRow | undefined;
}

/** The day at the place that it ships from; `otherwise`: where that names no time zone. */
const todayAt = (question: Readonly<Record<string, unknown>>, nowMs: number, otherwise = 'UTC'): string => {
  const said = valueAt(question, 'shipFrom', 'timezone');
  return localDay(nowMs, typeof said === 'string' && isTimeZone(said) ? said : otherwise);
};

/** What is wrong with a question whoever is asked. */
export const wrongWith = (question: Readonly<Record<string, unknown>>, nowMs: number): HttpAnswer | undefined => {
  const lacking = lackingOfQuestion(question);
  if (lacking.length > 0) return badRequest(lacking);
  const read = readOrder(orderToAsk(question, 'ANY', 'STANDARD', todayAt(question, nowMs)), 'OP');
  if (!read.ok) return badRequest(read.issues);
  const issues = [...breachesOfAny(read.value), ...pastIssues(read.value, nowMs)];
  return issues.length === 0 ? undefined : brokenRules(issues, {}, ['The question breaks rules', 'rules_broken']);
};

export const unavailable = (carrierCode: string, code: string, ...messages: readonly string[]): Unavailable => ({
  carrierCode,
  code,
  messages: [...messages],
});
interface OneQuestion {
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  readonly question: Readonly<Record<string, unknown>>;
}

/** The question as this carrier is sent orders: what its profile refuses of an order, it need not be asked. */
export const take = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { carrierCode, accountId, question }: OneQuestion,
): Promise<Asked | Unavailable> => {
  const carrier = deps.carriers.find(carrierCode);
  if (carrier === undefined || accountId === undefined)
    return unavailable(carrierCode, 'account_known', `you have no ${shipper.environment} account with ${carrierCode}`);
  const nowMs = deps.nowMs();
  const wish = valueAt(question, 'consignmentDetails', 'serviceType') as string | undefined;
  const today = todayAt(question, nowMs, carrier.time.zone);
  const body = orderToAsk(question, carrier.code, wish ?? serviceNames(carrier)[0] ?? 'STANDARD', today);
  const taken = await takeOrder(body, carrier, { nowMs, isQuestion: true });
  if (taken.kind !== 'ready')
    return unavailable(carrierCode, 'refused', ...taken.issues.map(({ message }: Issue) => message));
  const { order, consignment, service } = taken;
  return { shipper, carrier, accountId, order, consignment, service: wish === undefined ? undefined : service };
};
