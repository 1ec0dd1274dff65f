// A carrier of furniture and appliances on the platform's own contract: an API key, the services it offers checked,
// installations told one by one. What the contract asks for is the plain carrier's; the format: docs/carriers/example_bulky.md.
import type { CarrierRequest, CarrierResponse, Push, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { localTime } from './clock.ts';
import { carrier as plain } from './plain.ts';
import { at, isSame, listAt, readJson, textAt } from './reply.ts';
import type { Parcel, ParcelEvent, Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  ...plain.statuses,
  AT_HUB: { code: 'CROSS_DOCKED', description: 'Moved to the delivery depot' },
  OUT_FOR_DELIVERY: { code: 'CREW_ON_THE_WAY', description: 'The crew is on its way' },
};

export const carrier: SimulatedCarrier = {
  code: 'example_bulky',
  name: 'Example Big & Bulky',
  basePath: '/v1/consignments',
  credentials: { apiKey: 'simulated-bulky-key' },
  statuses,
  mischief: plain.mischief,
  handle,
  refuse: plain.refuse,
  push,
};

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const given = request.headers['x-api-key'];
  const apiKey = world.credentials['apiKey'] ?? '';
  const isKnown = typeof given === 'string' && isSame(given, apiKey);
  const isLabel = request.path.startsWith('/labels/');
  if (!isKnown && (!isLabel || world.privateLabels)) return refuse(401, ['unknown API key'], request);
  if (!isLabel && !request.path.startsWith('/v1/')) return refuse(404, ['no such resource'], request);
  const body = readJson(request);
  const breaches = isLabel || textAt(body, 'typeOfAction') === 'CANCEL' ? [] : findBreaches(body);
  if (breaches.length > 0) return refuse(400, breaches, request);
  // From here on it is the contract, under a proof of our own making.
  const headers = { ...request.headers, authorization: `Bearer ${apiKey}` };
  const inside = { ...world, credentials: { token: apiKey } };
  return await plain.handle({ ...request, headers, path: request.path.replace(/^\/v1/, '') }, inside);
}

function refuse(status: number, errors: readonly string[], request: CarrierRequest): CarrierResponse {
  const body = { status, referenceId: textAt(readJson(request), 'referenceId'), timestamp: Date.now(), errors };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(body)),
  };
}

const offered = ['TWO_MAN_DELIVERY', 'ROOM_OF_CHOICE', 'INSTALLATION', 'HAUL_AWAY_OLD'];
const heavyKg = 50;

/** What a crew cannot do: services it does not offer, heavy goods for one man alone, visits without a window. */
function findBreaches(body: unknown): readonly string[] {
  const breaches: string[] = [];
  const vas = listAt(body, 'vas');
  const codes = vas.map((entry) => textAt(entry, 'vasCode'));
  const lines = listAt(body, 'skuList').map((sku) => textAt(sku, 'skuLineItemNo'));
  const items = listAt(body, 'itemList').map((item) => textAt(item, 'itemReferenceNumber'));
  for (const [index, entry] of vas.entries()) {
    const code = codes[index] ?? '';
    if (!offered.includes(code)) breaches.push(`${code} is not offered`);
    const targets = listAt(entry, 'targetIds').map(String);
    if (textAt(entry, 'level') !== 'SKU') continue;
    if (targets.length === 0) breaches.push(`${code} names no SKU`);
    for (const target of targets)
      if (!lines.includes(target) && !items.includes(target))
        breaches.push(`${code} names ${target}, which is unknown`);
    if (code === 'INSTALLATION' && !(Number(at(entry, 'serviceTime')) > 0))
      breaches.push('INSTALLATION needs serviceTime');
  }
  const isHeavy = listAt(body, 'itemList').some(
    (item) => Number(at(item, 'itemWeight')) * (textAt(item, 'itemWeightUom') === 'LB' ? 0.45359237 : 1) > heavyKg,
  );
  const service = textAt(body, 'info', 'serviceCode');
  if (!['KERB', 'TWO_MAN', 'WHITE_GLOVE'].includes(service)) breaches.push('info.serviceCode is not a service of ours');
  if (isHeavy && service !== 'KERB' && !codes.includes('TWO_MAN_DELIVERY') && !codes.includes('ROOM_OF_CHOICE'))
    breaches.push(`goods above ${heavyKg} kg need TWO_MAN_DELIVERY`);
  const end = textAt(body, 'typeOfOrder') === 'REVERSE' ? 'origin' : 'destination';
  for (const edge of ['Start', 'End'])
    if (textAt(body, `${end}Preferred${edge}Time`) === '') breaches.push(`${end}Preferred${edge}Time is required`);
  return breaches;
}

/** The contract's push; a delivery that includes an installation says of each what became of it. */
function push(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push {
  const told = plain.push?.({ ...event, extra: {} }, of, secret);
  if (!told) throw new Error('the contract has a push');
  const consignment = of.shipment.data['consignment'];
  const mine = listAt(consignment, 'skuList')
    .filter((sku) => textAt(sku, 'itemReferenceNumber') === of.parcel.reference)
    .map((sku) => textAt(sku, 'skuLineItemNo'));
  const installed = listAt(consignment, 'vas')
    .filter((vas) => textAt(vas, 'vasCode') === 'INSTALLATION')
    .flatMap((vas) =>
      listAt(vas, 'targetIds')
        .map(String)
        .filter((target) => target === of.parcel.reference || mine.includes(target)),
    );
  const isDone = event.stage === 'DELIVERED' && installed.length > 0;
  const isFailed = event.status.code === 'INSTALLATION_FAILED';
  const body: Record<string, unknown> = {
    ...(JSON.parse(told.body) as Record<string, unknown>),
    ...(isDone ? { carrierStatus: 'INSTALLATION_COMPLETED', carrierStatusCode: 'INSTALLATION_COMPLETED' } : {}),
    installationItems:
      isDone || isFailed
        ? installed.map((target) => ({
            itemReferenceNumber: of.parcel.reference,
            level: 'SKU',
            targetIds: [target],
            vasCode: 'INSTALLATION',
            status: isFailed ? 'FAILED' : 'COMPLETED',
            statusCode: isFailed ? 'FAILED' : 'COMPLETED',
            statusTime: localTime(event.at, event.place.zone),
          }))
        : [],
    ...event.extra,
  };
  return { ...told, body: JSON.stringify(body) };
}
