/** From a request's body to all that the records need of an order, or the answer that says what is wrong with it. */
import type { Consignment, ConsignmentShipper } from '../../engine/consignment/consignment.ts';
import type { Issue } from '../../engine/validate.ts';
import { type Facilities, facilityCodesOf, withFacilities } from '../../engine/consignment/facility.ts';
import { carrierCodeOf, orderNumberOf, referenceNumberOf } from '../../engine/consignment/peek.ts';
import { profileOf } from '../../engine/consignment/profile-schema.ts';
import { readOrder } from '../../engine/consignment/read.ts';
import { breachesOf, unknownCarrier } from '../../engine/consignment/rules.ts';
import type { Order } from '../../engine/consignment/schema.ts';
import { chooseLabelFormat, findService } from '../../engine/consignment/service.ts';
import { translate } from '../../engine/consignment/translate.ts';
import type { Carrier, ServiceRow } from '../../engine/profile/carrier.ts';
import { findAccountId } from '../records/accounts.ts';
import { facilitiesOf } from '../records/facilities.ts';
import { getShipperById, type Shipper } from '../records/shippers.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, type HttpAnswer, unprocessable } from './http-answer.ts';

interface ReadyOrder {
  readonly order: Order;
  readonly carrier: Carrier;
  readonly service: ServiceRow;
  readonly accountId: number;
  readonly consignment: Consignment;
  /** Those of its facilities that are registered. */
  readonly facilities: Facilities;
}
export type Intake =
  | { readonly ok: true; readonly ready: ReadyOrder }
  | { readonly ok: false; readonly answer: HttpAnswer };

/** What its facilities know is filled in; then structure first (400), then every rule at once (422): the spec's, the carrier's, and that there is an account. */
export const takeOrder = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  operation: 'create' | 'update',
): Promise<Intake> => {
  const nowMs = deps.nowMs();
  const code = carrierCodeOf(body);
  const carrier = code === undefined ? undefined : deps.carriers.find(code);
  const facilities = await facilitiesOf(deps.pool, bearer, facilityCodesOf(body));
  const read = readOrder(
    withFacilities(body, facilities),
    carrier === undefined ? 'OP' : profileOf(carrier.capabilities),
  );
  if (!read.ok) return { ok: false, answer: badRequest(nowMs, read.issues, referenceNumberOf(body)) };
  const order = read.value;
  const refuse = (issues: readonly Issue[]): Intake => ({ ok: false, answer: brokenRules(nowMs, issues, body) });
  if (carrier === undefined) return refuse([unknownCarrier(order.carrier.code)]);
  const { shipperId, environment } = bearer;
  const [accountId, shipper] = await Promise.all([
    findAccountId(deps.pool, { shipperId, carrierCode: carrier.code, environment }),
    getShipperById(deps.pool, shipperId),
  ]);
  const service = findService(carrier, order);
  const issues = [...breachesOf(order, carrier), ...carrierIssues(carrier, bearer, accountId)];
  if (issues.length > 0 || service === undefined || accountId === undefined) return refuse(issues);
  const consignment = translate(order, {
    operation,
    carrierCode: carrier.code,
    service,
    labelFormat: chooseLabelFormat(order.consignmentDetails, carrier.labels.formats),
    ...registered(shipper),
  });
  return { ok: true, ready: { order, carrier, service, accountId, consignment, facilities } };
};

export const brokenRules = (nowMs: number, issues: readonly Issue[], body: unknown): HttpAnswer =>
  unprocessable(
    nowMs,
    'The consignment breaks rules',
    issues.map(({ message }) => message),
    {
      orderNumber: orderNumberOf(body),
      referenceNumber: referenceNumberOf(body),
    },
  );

const issue = (rule: string, says: string): Issue => ({
  path: 'carrier.code',
  rule,
  message: `carrier.code ${says}`,
});

const carrierIssues = (carrier: Carrier, { environment }: ShipperBearer, accountId: number | undefined): Issue[] => {
  const found: Issue[] = [];
  if (carrier.operations.create === undefined) found.push(issue('carrier_creates', `${carrier.code} takes no orders`));
  if (carrier.environments[environment] === undefined)
    found.push(issue('environment_known', `${carrier.code} has no ${environment} environment`));
  if (accountId === undefined)
    found.push(issue('account_known', `${carrier.code} is a carrier with which you have no ${environment} account`));
  return found;
};

/** The shipper's registered details, as the canonical form takes them. */
const registered = ({ details }: Shipper) => {
  if (details === undefined) return {};
  const { merchantCode, taxNumber, billTo, ...party } = details as Registered;
  return {
    merchantCode,
    shipperTaxNumber: taxNumber,
    billTo,
    ...(Object.keys(party).length === 0 ? {} : { shipper: party }),
  };
};
type Registered = ConsignmentShipper & {
  readonly merchantCode?: string;
  readonly taxNumber?: string;
  readonly billTo?: Consignment['billTo'];
};
