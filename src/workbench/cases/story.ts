/** What is so at a moment of a case: the clock, the account, the consignment, what the carrier gave us and said. */
import { ASKED_ROOTS, type AskedRoot, isAsked } from '../../engine/ask/operations.ts';
import type { Accepted } from '../../engine/consignment/answer.ts';
import { Consignment } from '../../engine/consignment/consignment.ts';
import { chooseLabelFormat, findService, serviceNames } from '../../engine/consignment/service.ts';
import type { Exchange, TokenStore } from '../../engine/dispatch/ports.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { Carrier, ServiceRow } from '../../engine/profile/carrier.ts';
import type { FoldEvent } from '../../engine/statuses/fold.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { validator } from '../../engine/validate.ts';
import { environmentOf } from '../engine-run.ts';
import { accountOf, undeclaredFields } from './account.ts';
import { createClock, type FakeCarrier } from './fake-carrier.ts';
import type { CaseFile } from './read.ts';
import { CaseEnded, type Problems } from './report.ts';
import type { Script } from './scripted-carrier.ts';
import { labelsByPackage } from './shown.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The packages of a consignment; none where there is none. */
export const itemsOf = (consignment: Fields | undefined): readonly Fields[] => {
  const items = consignment?.['itemList'];
  return Array.isArray(items) ? (items as readonly Fields[]) : [];
};

export interface ShipmentPackage {
  readonly itemReferenceNumber: string;
  readonly trackingNumber?: string | undefined;
  readonly memo: Fields;
}

export interface Shipment {
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

/** Unless a case gives another. */
export const NOW = '2026-01-15T10:00:00Z';

/** Throws `CaseEnded` where what is given cannot be, having noted why. */
export const beginStory = (caseFile: CaseFile, carrier: Carrier, problems: Problems, world: World = {}) => {
  const { given } = caseFile.content;
  for (const { section, name, known } of undeclaredFields(carrier, given)) {
    const help = known.length === 0 ? '' : ` (declared: ${known.join(', ')})`;
    problems.add(['given', section, name], `${carrier.code} declares no ${section} ${name}${help}`);
  }
  const environment = given?.environment ?? environmentOf(carrier);
  if (carrier.environments[environment] === undefined) {
    problems.add(['given', 'environment'], `${carrier.code} has no environment ${environment}`);
    throw new CaseEnded('no environment');
  }
  const clock = createClock(Date.parse(given?.now ?? NOW));
  const tokens = createMemoryTokens(clock.nowMs);
  // A question about rates is about all services, unless one is named.
  const asksForAll = given?.service === undefined && caseFile.content.flow.every((step) => isAsked(step.do));
  const service = asksForAll ? undefined : caseFile.consignment && serviceOf(caseFile, carrier, problems);
  return {
    caseFile,
    carrier,
    environment,
    clock,
    tokens: world.tokensFrom?.(tokens) ?? tokens,
    world,
    sequences: new Map<string, number>(),
    problems,
    touched: { steps: new Set<string>(), rules: new Set<string>(), rows: new Set<string>() },
    /** What was asked and answered so far, logins among it. */
    exchanges: [] as Exchange[],
    /** How often each operation ran: names its runs. */
    runs: new Map<string, number>(),
    service,
    account: accountOf(carrier, given),
    /** As last accepted. */
    consignment: caseFile.consignment && consignmentOf(caseFile.consignment, carrier, service, problems),
    /** What is asked for by itself is about: as given, then with what came of it. */
    about: Object.fromEntries(ASKED_ROOTS.map((root) => [root, given?.[root]])) as Record<AskedRoot, unknown>,
    shipment: shipmentGiven(caseFile, carrier, problems),
    /** Where labels lie that an answer named by URL: by package, `*` for all. */
    labelUrls: new Map() as ReadonlyMap<string, string>,
    /** Of every package, before any event. */
    base: 'Order Created' as NormalisedStatus,
    events: new Map<number, FoldEvent[]>(),
  };
};
export type Story = ReturnType<typeof beginStory>;

/** The row of the given word, else the only one that has the consignment's typeOfService: nothing is guessed. */
const serviceOf = ({ content, consignment }: CaseFile, carrier: Carrier, problems: Problems): ServiceRow => {
  const { code, services } = carrier;
  const word = content.given?.service;
  const given = consignment?.['typeOfService'];
  const typeOfService = typeof given === 'string' ? given : '';
  const rowOf = (serviceType: string): ServiceRow | undefined =>
    findService(carrier, { consignmentDetails: { serviceType } } as Parameters<typeof findService>[1]);
  const [row, another] =
    word === undefined && services !== undefined
      ? [...services.values()].filter((one) => one.typeOfService === typeOfService)
      : [rowOf(word ?? typeOfService)];
  if (row !== undefined && another === undefined) return row;
  const names = serviceNames(carrier).join(', ');
  if (word !== undefined) problems.add(['given', 'service'], `${code} has no service ${word} (it has ${names})`);
  else {
    const why =
      row === undefined
        ? `no service of ${code} is ${typeOfService === '' ? 'named' : typeOfService}`
        : `several services of ${code} are ${typeOfService}`;
    problems.add(['given'], `${why}: say given.service, one of ${names}`);
  }
  throw new CaseEnded('no service');
};

const checkConsignment = validator(Consignment, 'the consignment');
const ISSUES_SHOWN = 5;

/** What the translation would fill in is filled in; the rest has to be the contract's. */
export const consignmentOf = (
  consignment: Fields,
  { code, labels }: { readonly code: string; readonly labels: Pick<Carrier['labels'], 'formats'> },
  service: ServiceRow | undefined,
  problems: Problems,
): Fields => {
  const { itemList } = consignment;
  const labelFormat = consignment['labelFormat'] as Parameters<typeof chooseLabelFormat>[0]['labelFormat'];
  const whole = {
    ...(Array.isArray(itemList) ? { numberOfShipments: itemList.length } : {}),
    ...consignment,
    carrierCode: code,
    typeOfAction: 'CREATE',
    typeOfService: service?.typeOfService ?? consignment['typeOfService'],
    labelFormat: chooseLabelFormat(labelFormat === undefined ? {} : { labelFormat }, labels.formats),
  };
  const checked = checkConsignment(whole);
  if (checked.ok) return whole;
  const why = checked.issues.slice(0, ISSUES_SHOWN).map(({ message }) => message);
  problems.add(['given', 'consignment'], `this is no consignment of the contract: ${why.join('; ')}`);
  throw new CaseEnded('no consignment');
};

const shipmentGiven = ({ content }: CaseFile, carrier: Carrier, problems: Problems): Shipment | undefined => {
  const given = content.given?.shipment;
  if (given === undefined) return undefined;
  const { memo = {} } = given;
  const packages = (given.packages ?? []).map((one) => ({ ...one, memo: one.memo ?? {} }));
  for (const name of [given, ...packages].flatMap((one) => Object.keys(one.memo ?? {}))) {
    if (carrier.memo.includes(name)) continue;
    const declared = carrier.memo.length === 0 ? 'declares none' : `declares ${carrier.memo.join(', ')}`;
    problems.add(['given', 'shipment'], `${carrier.code} has no memo ${name} (it ${declared})`);
  }
  return { trackingNumber: given.trackingNumber ?? packages[0]?.trackingNumber, memo, packages };
};

/** The carrier took a consignment, or changed it: what it gave us replaces what it gave before; memos add up. */
export const acceptShipment = (story: Story, accepted: Accepted): void => {
  const { packages, masterTrackingNumber, memo } = accepted;
  story.shipment = {
    trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber,
    memo: { ...story.shipment?.memo, ...memo },
    packages: packages.map(({ itemReferenceNumber, trackingNumber, memo: own }) => ({
      itemReferenceNumber,
      trackingNumber,
      memo: own,
    })),
  };
  const urls = labelsByPackage(accepted).map(([name, { url }]) => [name, url] as const);
  story.labelUrls = new Map(urls.flatMap(([name, url]) => (url === undefined ? [] : [[name, url] as const])));
};
