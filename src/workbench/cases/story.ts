/** What is so at a moment of a case: the clock, the account, the consignment, what the carrier gave us and said. */
import type { Accepted } from '../../engine/consignment/accepted.ts';
import { Consignment } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import { validator } from '../../engine/validate.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { Account, Exchange, TokenStore } from '../../engine/dispatch/ports.ts';
import { chooseLabelFormat, findService, serviceNames } from '../../engine/consignment/service.ts';
import type { Carrier, EnvironmentName, ServiceRow } from '../../engine/profile/carrier.ts';
import type { FoldEvent } from '../../engine/statuses/fold.ts';
import { accountOf, undeclaredFields } from './account.ts';
import { type Clock, createClock } from './clock.ts';
import type { CaseFile } from './read.ts';
import { CaseEnded, type Problems } from './report.ts';
import { createScript, type Script, type ScriptOptions } from './script.ts';

export interface ShipmentPackage {
  readonly itemReferenceNumber: string;
  readonly trackingNumber?: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
}

/** The root `shipment` (§2.8 of the language). */
interface Shipment {
  readonly trackingNumber?: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly packages: readonly ShipmentPackage[];
}

export interface Story {
  readonly caseFile: CaseFile;
  readonly carrier: Carrier;
  readonly environment: EnvironmentName;
  readonly clock: Clock;
  readonly tokens: TokenStore;
  /** The carrier's side of a step. */
  readonly scriptFor: (options: ScriptOptions) => Script;
  /** Told of every exchange, masked. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
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
  consignment: Readonly<Record<string, unknown>> | undefined;
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

/** `world`: who plays the carrier, and who gives tokens; unless said, a case's exchanges do both. */
export const beginStory = (
  caseFile: CaseFile,
  carrier: Carrier,
  problems: Problems,
  world?: (clock: Clock) => Pick<Story, 'tokens' | 'scriptFor' | 'onExchange'>,
): Story => {
  const { content, placeAt } = caseFile;
  const { given } = content;
  for (const { section, name, known } of undeclaredFields(carrier, given)) {
    const help = known.length === 0 ? '' : ` (declared: ${known.join(', ')})`;
    problems.add(placeAt(['given', section, name]), `${carrier.code} declares no ${section} ${name}${help}`);
  }
  const environment = given?.environment ?? (carrier.environments.sandbox === undefined ? 'production' : 'sandbox');
  if (carrier.environments[environment] === undefined) {
    problems.add(placeAt(['given', 'environment']), `${carrier.code} has no environment ${environment}`);
    throw new CaseEnded('no environment');
  }
  const clock = createClock(Date.parse(given?.now ?? NOW));
  const service = caseFile.consignment === undefined ? undefined : serviceOf(caseFile, carrier, problems);
  return {
    caseFile,
    carrier,
    environment,
    clock,
    ...(world?.(clock) ?? { tokens: createMemoryTokens(clock.nowMs), scriptFor: createScript }),
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

/** The row of the given word, else the only one that has the consignment's typeOfService: nothing is guessed. */
const serviceOf = ({ content, consignment, placeAt }: CaseFile, carrier: Carrier, problems: Problems): ServiceRow => {
  const word = content.given?.service;
  const rowOf = (serviceType: string): ServiceRow | undefined =>
    findService(carrier, { consignmentDetails: { serviceType } } as Parameters<typeof findService>[1]);
  const names = serviceNames(carrier).join(', ');
  if (word !== undefined) {
    const row = rowOf(word);
    if (row !== undefined) return row;
    problems.add(placeAt(['given', 'service']), `${carrier.code} has no service ${word} (it has ${names})`);
    throw new CaseEnded('no service');
  }
  const given = consignment?.['typeOfService'];
  const typeOfService = typeof given === 'string' ? given : '';
  const rows =
    carrier.services === undefined
      ? [rowOf(typeOfService)].filter((row) => row !== undefined)
      : [...carrier.services.values()].filter((row) => row.typeOfService === typeOfService);
  const [row] = rows;
  if (row !== undefined && rows.length === 1) return row;
  const why =
    row === undefined
      ? `no service of ${carrier.code} is ${typeOfService === '' ? 'named' : typeOfService}`
      : `several services of ${carrier.code} are ${typeOfService}`;
  problems.add(placeAt(['given']), `${why}: say given.service, one of ${names}`);
  throw new CaseEnded('no service');
};

const checkConsignment = validator(Consignment, 'the consignment');

/** What the translation would fill in is filled in; the rest has to be the contract's. */
const consignmentOf = (
  { consignment, placeAt }: CaseFile,
  carrier: Carrier,
  service: ServiceRow | undefined,
  problems: Problems,
): Readonly<Record<string, unknown>> | undefined => {
  if (consignment === undefined) return undefined;
  const { itemList } = consignment;
  const asked = consignment['labelFormat'] as Parameters<typeof chooseLabelFormat>[0]['labelFormat'];
  const whole = {
    ...(Array.isArray(itemList) ? { numberOfShipments: itemList.length } : {}),
    ...consignment,
    carrierCode: carrier.code,
    typeOfAction: 'CREATE',
    typeOfService: service?.typeOfService ?? consignment['typeOfService'],
    labelFormat: chooseLabelFormat(asked === undefined ? {} : { labelFormat: asked }, carrier.labels.formats),
  };
  const checked = checkConsignment(whole);
  if (checked.ok) return whole;
  const differences = checked.issues.map(({ path, message }) => ({ path, expected: message, seen: undefined }));
  problems.add(
    placeAt(['given', 'consignment']),
    `this is no consignment of the contract: ${messages(checked.issues)}`,
  );
  if (differences.length > 0) throw new CaseEnded('no consignment');
  return whole;
};

const messages = (issues: readonly { readonly message: string }[]): string =>
  issues
    .slice(0, 5)
    .map(({ message }) => message)
    .join('; ');

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
export const acceptShipment = (story: Story, { packages, masterTrackingNumber, memo }: Accepted): void => {
  story.shipment = {
    trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber,
    memo: { ...story.shipment?.memo, ...memo },
    packages: packages.map((one) => ({
      itemReferenceNumber: one.itemReferenceNumber,
      trackingNumber: one.trackingNumber,
      memo: one.memo,
    })),
  };
};
