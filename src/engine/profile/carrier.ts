/**
 * A compiled carrier: what a profile means once its bases are merged in, its texts compiled and its defaults filled.
 * Everything here is immutable and shared by all requests; whoever holds one keeps the version it began with.
 */
import type { Mapping } from '../mapping/mapping.ts';
import type { Place } from '../failure.ts';
import { ASKED_NAMES, askedOf, isAsked } from '../ask/operations.ts';
import type { Tariff } from '../rates/tariff.ts';
import type { Transit } from '../rates/transit.ts';
import type { TableStatus, Reason } from '../statuses/status.ts';
import type { AUTH_KINDS } from './language/auths.ts';
import type { Value, Values } from './language/field.ts';
import { operationKeys } from './language/operations.ts';
import type { LabelTemplate } from './language/label-template.ts';
import type { accountField, profile, service } from './language/profile.ts';
import type { poll, webhook } from './language/statuses.ts';
import type { idempotency, limits, outcomeRule, step } from './language/steps.ts';
export type { Reply } from './language/statuses.ts';

type Profile = Value<typeof profile>;

export type EnvironmentName = 'sandbox' | 'production';

export interface Carrier extends Pick<
  Profile,
  'abstract' | 'capabilities' | 'requires' | 'vas' | 'tables' | 'time' | 'limits' | 'memo' | 'labels' | 'slots'
> {
  readonly code: string;
  readonly name: string;
  /** Hash of the profile, its bases and all mapping files: the version of this carrier. */
  readonly hash: string;
  readonly place: Place;
  /** By the shipper's `serviceType` in lower case; undefined: the four names of the contract stand for themselves. */
  readonly services: ReadonlyMap<string, ServiceRow> | undefined;
  /** By their first days. */
  readonly tariffs: readonly Tariff[];
  readonly transit: Transit | undefined;
  readonly environments: Readonly<Partial<Record<EnvironmentName, EnvironmentDefinition>>>;
  /** Host patterns that a request may go to, beside the host of the environment: those declared, and those of the URLs in the profile. */
  readonly hosts: readonly string[];
  readonly credentials: Readonly<Record<string, AccountField>>;
  readonly settings: Readonly<Record<string, AccountField>>;
  readonly auths: Readonly<Record<string, Auth>>;
  /** Of a label of our own: what is printed where the carrier gives none. */
  readonly labelTemplate: LabelTemplate | undefined;
  readonly operations: Readonly<Partial<Record<OperationName, Operation>>>;
  /** `update: recreate`: cancel, then create. */
  readonly recreate: boolean;
  readonly statuses: Statuses;
}

export type Capabilities = Profile['capabilities'];
type Labels = Profile['labels'];
export type LabelRetry = Labels['retry'];

export interface ServiceRow extends Value<typeof service> {
  /** The shipper's word, as the profile writes it. */
  readonly name: string;
}

/** `url` and whatever else the profile declares for the environment; texts may use `settings`, `credentials`. */
export interface EnvironmentDefinition {
  readonly url: Mapping;
  readonly values: Readonly<Record<string, Mapping>>;
}

type FieldKeys = Value<typeof accountField>;
export interface AccountField extends Pick<FieldKeys, 'type' | 'secret' | 'pattern' | 'optional' | 'title'> {
  readonly place: Place;
  readonly oneOf: readonly (string | number | boolean)[] | undefined;
  readonly default: string | number | boolean | undefined;
  readonly example: string | number | boolean | undefined;
  /** Filled by the `register` operation; nobody is asked. */
  readonly fromRegister: boolean;
}

export type Limits = Value<typeof limits>;

// Auths -------------------------------------------------------------------------------------------------------------

type KeysOf<K extends keyof typeof AUTH_KINDS> = Value<(typeof AUTH_KINDS)[K]>;
interface Named<K> {
  readonly kind: K;
  /** Its name in `auths`, or one given for an auth written out in place. */
  readonly name: string;
  readonly place: Place;
}
type Carrying<K extends 'apiKey' | 'signature'> = Named<K> & Omit<KeysOf<K>, 'header' | 'query'> & Carried;

export type Auth =
  | (Named<'basic'> & KeysOf<'basic'>)
  | (Named<'bearer'> & KeysOf<'bearer'>)
  | (Named<'oauth2'> & KeysOf<'oauth2'>)
  | (Named<'mtls'> & KeysOf<'mtls'>)
  | (Named<'session'> & Session)
  | Carrying<'apiKey'>
  | Carrying<'signature'>;

/** Where a value travels: a header or a query parameter, by its name. */
export type Carried = { readonly in: 'header' | 'query'; readonly field: string };

interface Session extends Omit<KeysOf<'session'>, 'login'> {
  readonly login: Step;
}

// Operations --------------------------------------------------------------------------------------------------------

export type OperationName = keyof typeof operationKeys;
export const OPERATIONS = Object.keys(operationKeys) as readonly OperationName[];
export const isOperation = (name: string): name is OperationName => Object.hasOwn(operationKeys, name);

/** Operations that ask and change nothing at the carrier: not fenced, repeated freely. */
export const READS: ReadonlySet<string> = new Set<OperationName>([
  ...(['track', 'label', 'lookup', 'probe'] as const),
  ...ASKED_NAMES.filter((name) => askedOf(name).effect === undefined),
]);

/** Operations whose answer has to be read: without a result they would do nothing. */
export const RESULT_NEEDED: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['create', 'lookup', 'track'] as const),
  ...ASKED_NAMES.filter((name) => askedOf(name).result !== undefined),
]);
/** Those that may leave something in the memo. */
export const REMEMBERING: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['create', 'update', 'lookup'] as const),
  ...ASKED_NAMES,
]);

/** Done twice is done, unless the profile says otherwise. */
export const isRepeatable = (name: OperationName): boolean =>
  isAsked(name) ? askedOf(name).effect === 'natural' : name === 'update' || name === 'cancel';

export interface Operation {
  readonly name: OperationName;
  readonly place: Place;
  readonly steps: readonly [Step, ...Step[]];
  readonly idempotency: Idempotency;
  /** `track` only: numbers a call, all of them alike in what `batchBy` yields. */
  readonly batch: number;
  readonly batchBy: Mapping | undefined;
  readonly result: Mapping | undefined;
  /** Of a step's own lookup: its result is the body of the response that the step would have had. */
  readonly yieldsBody?: true;
  /** `lookup` only: for how long after the call finding nothing says nothing. */
  readonly notYetMs: number;
  /** The first whose condition holds is what is run; `steps` are then those of all. None: the operation itself is. */
  readonly variants: readonly { readonly when: Mapping | undefined; readonly operation: Operation }[];
}

/** What is run: variants in the place of the operations that have some. */
export const operationsOf = ({ operations }: Pick<Carrier, 'operations'>): readonly Operation[] =>
  Object.values(operations).flatMap((one) =>
    one.variants.length === 0 ? [one] : one.variants.map(({ operation }) => operation),
  );

/** `forMs`: for how long; undefined: always. */
export type Idempotency = Value<typeof idempotency>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type StepKeys = Values<typeof step>;
/** One HTTP call of an operation, everything inherited already merged in. */
export interface Step extends Pick<
  StepKeys,
  | 'when'
  | 'forEach'
  | 'parallel'
  | 'headers'
  | 'query'
  | 'body'
  | 'response'
  | 'limits'
  | 'retry'
  | 'bestEffort'
  | 'partial'
> {
  readonly id: string;
  readonly place: Place;
  /** Elements a call. */
  readonly batch: number | undefined;
  /** Of which variant of its operation it is a step. */
  readonly variant?: number | undefined;
  readonly method: Method;
  /** Yields `/path`, taken after `environment.url`, or an absolute URL. */
  readonly url: Mapping;
  readonly auth: readonly Auth[];
  /** The step's, then the operation's, then the profile's: the first match wins; the built-ins come after. */
  readonly outcomes: readonly OutcomeRule[];
  /** What the carrier promises of a repeat of this call; undefined: what it promises of the operation. */
  readonly idempotency: Idempotency | undefined;
  /** Asked about a call of unknown outcome; of a create of one step it may be the carrier's operation `lookup`. */
  readonly lookup: Operation | undefined;
  /** Made in this order. */
  readonly undo: readonly Step[];
  /** The earlier step whose undo takes this one back, too. */
  readonly undoneBy: string | undefined;
}

export type Body = NonNullable<StepKeys['body']>;

/** Without `status` it is for any that the built-ins do not keep for themselves (401, 403, 408, 429, 5xx). */
export interface OutcomeRule extends Value<typeof outcomeRule> {
  readonly place: Place;
}
export type OutcomeWord = OutcomeRule['do'];

// Statuses ----------------------------------------------------------------------------------------------------------

export interface Statuses {
  readonly webhook: Webhook | undefined;
  readonly poll: Poll | undefined;
  readonly table: readonly StatusRow[];
}

export interface Webhook extends Omit<Value<typeof webhook>, 'auth'> {
  readonly place: Place;
  readonly auth: readonly Auth[];
}
export type Poll = Value<typeof poll>;

/** A row of the status table: up to three patterns, compared with code, sub-code and description. */
export interface StatusRow {
  readonly place: Place;
  readonly key: string;
  /** It is for returns (REVERSE) only, and comes before those for all. */
  readonly ofReturns: boolean;
  readonly patterns: readonly [string, string, string];
  readonly status: TableStatus;
  readonly reason: Reason | undefined;
}
