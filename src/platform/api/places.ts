/** Places before there is an order: whether an address is right, and where parcels are handed in or collected. */
import type { Asked } from '../../engine/ask/ask.ts';
import type { AskedAbout, AskedName } from '../../engine/ask/operations.ts';
import { addressAt, placeAt, type ShipperAddress } from '../../engine/ask/places.ts';
import { type AddressFinding, checkAddress } from '../../engine/consignment/check-address.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, stamped } from './http-answer.ts';
import { failedAsk } from './failed-ask.ts';
import { AddressQuestion, AddressReply, LocationsQuestion, LocationsReply } from './inquiry-shapes.ts';
import { brokenRules, openAccountOf } from './order-intake.ts';
import { type AddRoutes, routesOf } from './route.ts';

const ANSWER_WITHIN_MS = 35_000;

export const addPlaceRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Checkout' });
  route('POST /v2/addresses/validate', {
    id: 'validateAddress',
    summary: 'What is wrong with an address, by field, and what may be meant',
    description: 'With `carrier.code`, that carrier is asked as well, where it checks addresses.',
    body: AddressQuestion,
    reply: [AddressReply, 'What was found; an address that is wrong is no error.'],
    errors: [422],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body }) => await validate(deps, shipper, body),
  });
  route('POST /v2/locations', {
    id: 'findLocations',
    summary: 'Where a carrier’s parcels are handed in or collected',
    body: LocationsQuestion,
    reply: [LocationsReply, 'The places, as the carrier has sorted them.'],
    errors: [404, 422, 502],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body: { carrier, near, ...rest } }) => {
      const asked = await askCarrier(deps, shipper, carrier.code, 'locations', {
        search: { near: placeAt(near), ...rest },
      });
      if ('status' in asked) return asked;
      if (!asked.ok) return failedAsk(asked);
      const data = asked.result.map(({ id, address, ...shown }) => ({
        locationId: id,
        ...shown,
        address: addressAt(address),
      }));
      return stamped<LocationsReply>({ status: 'OK', data });
    },
  });
};

/** An answer where the shipper may not ask that carrier. */
const askCarrier = async <Name extends AskedName>(
  deps: ApiDeps,
  shipper: ShipperBearer,
  code: string,
  name: Name,
  about: AskedAbout<Name>,
): Promise<Asked<Name> | HttpAnswer> => {
  const account = await openAccountOf(deps, shipper, code);
  if ('issues' in account) return brokenRules(account.issues, {});
  return await deps.ask(name, about, { ...account, environment: shipper.environment });
};

const validate = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { carrier, contact = {}, address }: AddressQuestion,
): Promise<HttpAnswer> => {
  const findings = checkAddress(address);
  const isCountryKnown = findings.every(({ field }) => field !== 'country');
  let said: AddressReply['data']['carrier'];
  if (carrier !== undefined && isCountryKnown) {
    const { name, companyName, contactNumber, email } = contact;
    const known = Object.entries({ name, companyName, contactNumber, email }).filter(([, value]) => value);
    const about = { address: { ...Object.fromEntries(known), ...placeAt(address) } };
    const asked = await askCarrier(deps, shipper, carrier.code, 'validateAddress', about);
    if ('status' in asked) return asked;
    said = { carrierCode: carrier.code, ...verdictOf(asked) };
  }
  const suggested = findings.flatMap(({ field, suggestion }) =>
    suggestion === undefined ? [] : [[field, suggestion]],
  );
  return stamped<AddressReply>({
    status: 'OK',
    data: {
      valid: findings.every(({ isDoubt }) => isDoubt) && said?.valid !== false,
      findings: findings.map(shown),
      ...(suggested.length > 0 && { suggestion: { ...address, ...(Object.fromEntries(suggested) as ShipperAddress) } }),
      ...(said && { carrier: said }),
    },
  });
};

const shown = ({ code, field, says, suggestion, isDoubt }: AddressFinding) => ({
  code,
  field: `address.${field}`,
  message: `address.${field} ${says}`,
  severity: isDoubt ? ('warning' as const) : ('error' as const),
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** What a carrier refuses to look at is no address of its. */
const verdictOf = (asked: Asked<'validateAddress'>) => {
  if (asked.ok) {
    const { valid, messages = [], suggestions = [] } = asked.result;
    return { checked: true, valid, messages, suggestions: suggestions.map(addressAt) };
  }
  const isRefused = asked.why === 'rejected';
  const messages = [...asked.problem.messages];
  return { checked: isRefused, ...(isRefused && { valid: false }), messages, suggestions: [] };
};
