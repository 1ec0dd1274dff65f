/** What is so at a moment of a case: the clock, the account, the consignment, what the carrier gave us and said. */
import type { Accepted } from '../../engine/consignment/answer.ts';
import { Consignment } from '../../engine/consignment/consignment.ts';
import { chooseLabelFormat, findService, serviceNames } from '../../engine/consignment/service.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { Account, Exchange, TokenStore } from '../../engine/dispatch/ports.ts';
import type { Carrier, EnvironmentName, ServiceRow } from '../../engine/profile/carrier.ts';
import type { FoldEvent } from '../../engine/statuses/fold.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { validator } from '../../engine/validate.ts';
import { environmentOf } from '../engine-run.ts';
import { accountOf, undeclaredFields } from './account.ts';
import { type Clock, createClock, type FakeCarrier } from './fake-carrier.ts';
import type { CaseFile } from './read.ts';
import { CaseEnded, type Problems } from './report.ts';
import { type Script, scriptedCarrier } from './scripted-carrier.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ShipmentPackage {
  readonly itemReferenceNumber: string;
  readonly trackingNumber?: string | undefined;
  readonly memo: Fields;
}

/** The root `shipment` of mappings. */
interface Shipment {
  readonly trackingNumber?: string | undefined;
  readonly memo: Fields;
  readonly packages: readonly ShipmentPackage[];
}

/** Who plays the carrier, and who watches; by default a case's own exchanges, and nobody. */
export interface World {
  readonly carrierFor?: ((script: Script) => FakeCarrier) | undefined;
  readonly tokensFrom?: ((tokens: TokenStore) => TokenStore) | undefined;
  /** Told of each request before it is answered. */
  readonly onSend?: ((request: WireRequest) => void) | undefined;
  /** Told of every exchange, masked. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

export interface Story {
  readonly caseFile: CaseFile;
  readonly carrier: Carrier;
  readonly environment: EnvironmentName;
  readonly clock: Clock;
  readonly tokens: TokenStore;
  readonly world: World;
  readonly sequences: Map<string, number>;
  readonly problems: Problems;
  readonly touched: {
    readonly steps: Set<string>;
    readonly rules: Set<string>;
    readonly rows: Set<string>;
  };
  /** What was asked and answered so far, logins among it. */
  readonly exchanges: Exchange[];
  /** How often each operation ran: names its runs. */
  readonly runs: Map<string, number>;
  readonly service: ServiceRow | undefined;
  account: Account;
  /** As last accepted. */
  consignment: Fields | undefined;
  shipment: Shipment | undefined;
  /** Where labels lie that an answer named by URL: by package, `*` for all. */
  labelUrls: ReadonlyMap<string, string>;
  /** Of every package, before any event. */
  base: NormalisedStatus;
  /** By package. */
  readonly events: Map<number, FoldEvent[]>;
}

/** Unless a case gives another. */
const NOW = '2026-01-15T10:00:00Z';

/** Throws `CaseEnded` where what is given cannot be, having noted why. */
export const beginStory = (caseFile: CaseFile, carrier: Carrier, problems: Problems, world: World = {}): Story => {
  const { content, placeAt } = caseFile;
  const { given } = content;
  for (const { section, name, known } of undeclaredFields(carrier, given)) {
    const help = known.length === 0 ? '' : ` (declared: ${known.join(', ')})`;
    problems.add(placeAt(['given', section, name]), `${carrier.code} declares no ${section} ${name}${help}`);
  }
  const environment = given?.environment ?? environmentOf(carrier);
  if (carrier.environments[environment] === undefined) {
    problems.add(placeAt(['given', 'environment']), `${carrier.code} has no environment ${environment}`);
    throw new CaseEnded('no environment');
  }
  const clock = createClock(Date.parse(given?.now ?? NOW));
  const tokens = createMemoryTokens(clock.nowMs);
  const service = caseFile.consignment === undefined ? undefined : serviceOf(caseFile, carrier, problems);
  return {
    caseFile,
    carrier,
    environment,
    clock,
    tokens: world.tokensFrom?.(tokens) ?? tokens,
    world,
    sequences: new Map(),
    problems,
    touched: { steps: new Set(), rules: new Set(), rows: new Set() },
    exchanges: [],
    runs: new Map(),
    service,
    account: accountOf(carrier, given),
    consignment: consignmentOf(caseFile, carrier, service, problems),
    shipment: shipmentGiven(caseFile, carrier, problems),
    labelUrls: new Map(),
    base: 'Order Created',
    events: new Map(),
  };
};

/** The carrier's side of a step. */
export const carrierOf = ({ world: { carrierFor = scriptedCarrier, onSend } }: Story, script: Script): FakeCarrier => {
  const carrier = carrierFor(script);
  if (onSend === undefined) return carrier;
  return {
    ...carrier,
    send: async (request, limits) => {
      onSend(request);
      return await carrier.send(request, limits);
    },
  };
};

/** The row of the given word, else the only one that has the consignment's typeOfService: nothing is guessed. */
const serviceOf = ({ content, consignment, placeAt }: CaseFile, carrier: Carrier, problems: Problems): ServiceRow => {
  const word = content.given?.service;
  const rowOf = (serviceType: string): ServiceRow | undefined =>
    findService(carrier, { consignmentDetails: { serviceType } } as Parameters<typeof findService>[1]);
  const given = consignment?.['typeOfService'];
  const typeOfService = typeof given === 'string' ? given : '';
  const ofType = [...(carrier.services?.values() ?? [])].filter((row) => row.typeOfService === typeOfService);
  const named = word === undefined && carrier.services !== undefined ? ofType : [rowOf(word ?? typeOfService)];
  const [row, another] = named;
  if (row !== undefined && another === undefined) return row;
  const names = serviceNames(carrier).join(', ');
  const { code } = carrier;
  if (word !== undefined) {
    problems.add(placeAt(['given', 'service']), `${code} has no service ${word} (it has ${names})`);
  } else {
    const why =
      row === undefined
        ? `no service of ${code} is ${typeOfService === '' ? 'named' : typeOfService}`
        : `several services of ${code} are ${typeOfService}`;
    problems.add(placeAt(['given']), `${why}: say given.service, one of ${names}`);
  }
  throw new CaseEnded('no service');
};

const checkConsignment = validator(Consignment, 'the consignment');
const ISSUES_SHOWN = 5;

/** What the translation would fill in is filled in; the rest has to be the contract's. */
const consignmentOf = (
  { consignment, placeAt }: CaseFile,
  carrier: Carrier,
  service: ServiceRow | undefined,
  problems: Problems,
): Fields | undefined => {
  if (consignment === undefined) return undefined;
  const { itemList } = consignment;
  const labelFormat = consignment['labelFormat'] as Parameters<typeof chooseLabelFormat>[0]['labelFormat'];
  const whole = {
    ...(Array.isArray(itemList) ? { numberOfShipments: itemList.length } : {}),
    ...consignment,
    carrierCode: carrier.code,
    typeOfAction: 'CREATE',
    typeOfService: service?.typeOfService ?? consignment['typeOfService'],
    labelFormat: chooseLabelFormat(labelFormat === undefined ? {} : { labelFormat }, carrier.labels.formats),
  };
  const checked = checkConsignment(whole);
  if (checked.ok) return whole;
  const why = checked.issues.slice(0, ISSUES_SHOWN).map(({ message }) => message);
  problems.add(placeAt(['given', 'consignment']), `this is no consignment of the contract: ${why.join('; ')}`);
  throw new CaseEnded('no consignment');
};

const shipmentGiven = ({ content, placeAt }: CaseFile, carrier: Carrier, problems: Problems): Shipment | undefined => {
  const given = content.given?.shipment;
  if (given === undefined) return undefined;
  const { trackingNumber, memo = {}, packages = [] } = given;
  for (const name of [memo, ...packages.map((one) => one.memo ?? {})].flatMap(Object.keys)) {
    if (carrier.memo.includes(name)) continue;
    const declared = carrier.memo.length === 0 ? 'declares none' : `declares ${carrier.memo.join(', ')}`;
    problems.add(placeAt(['given', 'shipment']), `${carrier.code} has no memo ${name} (it ${declared})`);
  }
  return {
    trackingNumber: trackingNumber ?? packages[0]?.trackingNumber,
    memo,
    packages: packages.map((one) => ({ ...one, memo: one.memo ?? {} })),
  };
};

/** The carrier took a consignment, or changed it: what it gave us replaces what it gave before; memos add up. */
export const acceptShipment = (story: Story, { packages, masterTrackingNumber, memo, label }: Accepted): void => {
  story.shipment = {
    trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber,
    memo: { ...story.shipment?.memo, ...memo },
    packages: packages.map((one) => ({
      itemReferenceNumber: one.itemReferenceNumber,
      trackingNumber: one.trackingNumber,
      memo: one.memo,
    })),
  };
  const labels = [...packages.map((one) => [one.itemReferenceNumber, one.label] as const), ['*', label] as const];
  story.labelUrls = new Map(
    labels.flatMap(([package_, one]): [string, string][] => (one?.url === undefined ? [] : [[package_, one.url]])),
  );
};
