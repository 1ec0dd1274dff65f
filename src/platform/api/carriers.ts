/** A shipper's carriers: what each takes, needs and can be asked for. */
import { contractService } from '../../engine/consignment/service.ts';
import { TYPES_OF_SERVICE } from '../../engine/consignment/consignment.ts';
import { placeOf } from '../../engine/consignment/translation.ts';
import { meaningOf } from '../../engine/consignment/vas.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { listAccounts } from '../records/accounts.ts';
import type { ShipperBearer } from './bearer.ts';
import { tellsPrices, tellsTimes } from './checkout.ts';
import type { ApiDeps } from './deps.ts';
import { CarrierView } from './inquiry-shapes.ts';
import { ANY, listsOf } from './lists.ts';
import { isForEverybody } from './order-intake.ts';
import type { AddRoutes } from './route.ts';

export const addShipperCarrierRoutes: AddRoutes = (scope, deps) => {
  listsOf(scope, deps, { auth: 'shipper', tag: 'Checkout' })('GET /v2/carriers', {
    id: 'listMyCarriers',
    summary: 'The carriers with which you have an account, by their codes',
    entry: CarrierView,
    size: [50, 200],
    place: [({ code }: Carrier) => [code], ANY],
    read: async ({ shipper, after: [afterCode = ''] = [], limit }) =>
      (await carriersOf(deps, shipper)).filter(({ code }) => code > afterCode).slice(0, limit),
    show: viewOf,
  });
};

/** Those that can be ordered from, by their codes: with an account, or for tests without one. */
const carriersOf = async ({ pool, carriers }: ApiDeps, shipper: ShipperBearer): Promise<readonly Carrier[]> => {
  const { environment } = shipper;
  const accounts = await listAccounts(pool, { shipper: shipper.code, environment, limit: 1_000 });
  const states = new Map(accounts.map(({ carrierCode, state }) => [carrierCode, state]));
  const isOpen = (carrier: Carrier): boolean =>
    states.has(carrier.code) ? states.get(carrier.code) === 'active' : isForEverybody(carrier, environment);
  return carriers
    .list()
    .filter((one) => !one.abstract && one.environments[environment] !== undefined && isOpen(one))
    .toSorted((one, other) => (one.code < other.code ? -1 : 1));
};

const viewOf = (carrier: Carrier): CarrierView => {
  const { code, name, capabilities, services, labels, vas: own, requires, operations, slots } = carrier;
  const { fleet, orders, maxPackages, vas, cod, from, to } = capabilities;
  const rows = services === undefined ? TYPES_OF_SERVICE.map(contractService) : [...services.values()];
  return {
    code,
    name,
    fleet,
    services: rows.map((row) => ({
      name: row.name,
      typeOfService: row.typeOfService,
      ...(row.code === undefined ? {} : { code: row.code }),
      orderTypes: (row.orders ?? ORDERS).filter((type) => orders.includes(type)),
    })),
    orderTypes: [...orders],
    labelFormats: [...labels.formats],
    ...(vas && { vas: vas.map((vasCode) => ({ vasCode, ...meaningIn(own, vasCode) })) }),
    cashOnDelivery: cod,
    ...(maxPackages === undefined ? {} : { maxPackages }),
    ...(from && { from: [...from] }),
    ...(to && { to: [...to] }),
    requirements: requires.map(({ fields, services: only, operations: asked, when }) => ({
      fields: fields.map(placeOf),
      ...(only && { services: [...only] }),
      ...(asked && { operations: [...asked] }),
      ...(when && { conditional: true as const }),
    })),
    has: {
      rates: tellsPrices(carrier),
      turnaround: tellsTimes(carrier),
      slots: slots !== undefined || operations.slots !== undefined,
      pickups: operations.pickup !== undefined,
      manifests: operations.manifest !== undefined,
      locations: operations.locations !== undefined,
      addressValidation: operations.validateAddress !== undefined,
      updates: operations.update !== undefined || carrier.recreate,
      cancels: operations.cancel !== undefined,
    },
  };
};

const ORDERS = ['FORWARD', 'REVERSE'] as const;

const meaningIn = (own: Carrier['vas'], vasCode: string) => {
  const { description, level, requires = [] } = meaningOf(own, vasCode) ?? {};
  return {
    ...(description === undefined ? {} : { description }),
    ...(level && { level }),
    ...(requires.length > 0 && { fields: requires.map(placeOf) }),
  };
};
