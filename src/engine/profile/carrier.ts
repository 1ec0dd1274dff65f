/**
 * A compiled carrier: what a profile means once its bases are merged in, its texts compiled and its defaults filled.
 * Everything here is immutable and shared by all requests; whoever holds one keeps the version it began with.
 */
import type { Rate } from '../duration.ts';
import type { Place } from '../failure.ts';
import type { NormalisedStatus, Reason, TableStatus } from '../statuses/status.ts';
import type { Mapping } from '../mapping/mapping.ts';

export type EnvironmentName = 'sandbox' | 'production';
export type LabelFormat = 'PDF' | 'ZPL' | 'PNG';
export type OrderType = 'FORWARD' | 'REVERSE';
export type TypeOfService = 'GROUND' | 'EXPRESS' | 'STANDARD' | 'ECONOMY';

export interface Carrier {
  readonly code: string;
  readonly name: string;
  /** Hash of the profile, its bases and all mapping files: the version of this carrier. */
  readonly hash: string;
  readonly place: Place;
  readonly abstract: boolean;
  readonly capabilities: Capabilities;
  /** By the shipper's `serviceType` in lower case; undefined: the four names of the contract stand for themselves. */
  readonly services: ReadonlyMap<string, ServiceRow> | undefined;
  readonly environments: Readonly<Partial<Record<EnvironmentName, EnvironmentDefinition>>>;
  /** Host patterns that a request may go to, beside the host of the environment: those declared, and those of the URLs in the profile. */
  readonly hosts: readonly string[];
  readonly credentials: Readonly<Record<string, AccountField>>;
  readonly settings: Readonly<Record<string, AccountField>>;
  readonly tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly time: { readonly zone: string; readonly formats: readonly string[] };
  readonly auths: Readonly<Record<string, Auth>>;
  readonly limits: Limits;
  readonly operations: Readonly<Partial<Record<OperationName, Operation>>>;
  /** `update: recreate`: cancel, then create. */
  readonly recreate: boolean;
  readonly memo: readonly string[];
  readonly labels: { readonly formats: readonly [LabelFormat, ...LabelFormat[]]; readonly retry: LabelRetry };
  readonly statuses: Statuses;
}

export interface Capabilities {
  readonly fleet: 'outsourced' | 'own';
  readonly bulky: boolean;
  readonly orders: readonly OrderType[];
  readonly maxPackages: number | undefined;
  /** undefined: any. */
  readonly vas: readonly string[] | undefined;
  readonly cod: boolean;
  readonly from: readonly string[] | undefined;
  readonly to: readonly string[] | undefined;
}

export interface ServiceRow {
  /** The shipper's word, as the profile writes it. */
  readonly name: string;
  readonly typeOfService: TypeOfService;
  readonly code: string | undefined;
  readonly orders: readonly OrderType[] | undefined;
}

/** `url` and whatever else the profile declares for the environment; texts may use `settings`, `credentials`. */
export interface EnvironmentDefinition {
  readonly url: Mapping;
  readonly values: Readonly<Record<string, Mapping>>;
}

export interface AccountField {
  readonly place: Place;
  readonly type: 'text' | 'number' | 'boolean';
  readonly secret: boolean;
  readonly pattern: RegExp | undefined;
  readonly oneOf: readonly (string | number | boolean)[] | undefined;
  readonly optional: boolean;
  readonly default: string | number | boolean | undefined;
  readonly example: string | number | boolean | undefined;
  readonly title: string | undefined;
  /** Filled by the `register` operation; nobody is asked. */
  readonly fromRegister: boolean;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  readonly per: 'carrier' | 'account';
  readonly breaker: { readonly failures: number; readonly pauseMs: number };
  readonly sizeBytes: number;
}

/** `attempts` in all; waits double from `waitMs` up to `maxMs`, with jitter. */
export interface Retry {
  readonly attempts: number;
  readonly waitMs: number;
  readonly maxMs: number;
}

export interface LabelRetry {
  readonly waitMs: number;
  readonly maxMs: number;
  readonly untilMs: number;
}

// Auths -------------------------------------------------------------------------------------------------------------

/** One way of proving who we are. `name` is its name in `auths`, or one given for an auth written out in place. */
export type Auth =
  | {
      readonly kind: 'basic';
      readonly name: string;
      readonly place: Place;
      readonly username: Mapping;
      readonly password: Mapping;
    }
  | { readonly kind: 'bearer'; readonly name: string; readonly place: Place; readonly token: Mapping }
  | ({ readonly kind: 'apiKey'; readonly name: string; readonly place: Place; readonly value: Mapping } & Carried)
  | ({ readonly kind: 'oauth2'; readonly name: string; readonly place: Place } & OAuth2)
  | ({ readonly kind: 'session'; readonly name: string; readonly place: Place } & Session)
  | ({ readonly kind: 'signature'; readonly name: string; readonly place: Place } & Signature)
  | {
      readonly kind: 'mtls';
      readonly name: string;
      readonly place: Place;
      readonly certificate: Mapping;
      readonly key: Mapping;
      readonly passphrase: Mapping | undefined;
    };

/** Where a value travels: a header or a query parameter, by its name. */
export type Carried = { readonly in: 'header' | 'query'; readonly field: string };

interface OAuth2 {
  readonly grant: 'client_credentials' | 'password' | 'refresh_token';
  readonly tokenUrl: Mapping;
  readonly clientId: Mapping;
  readonly clientSecret: Mapping | undefined;
  readonly clientAuth: 'body' | 'basic';
  readonly username: Mapping | undefined;
  readonly password: Mapping | undefined;
  readonly refreshToken: Mapping | undefined;
  readonly scope: Mapping | undefined;
  readonly params: Readonly<Record<string, Mapping>>;
}

export interface Session {
  readonly login: Step;
  readonly token: Mapping;
  /** Seconds (a number), or a fixed duration. */
  readonly expiresIn: Mapping | { readonly ms: number } | undefined;
  readonly expiresAt: Mapping | undefined;
  readonly save: Readonly<Record<string, Mapping>>;
  readonly send:
    | { readonly as: 'bearer' }
    | { readonly as: 'none' }
    | {
        readonly as: 'fields';
        readonly headers: Readonly<Record<string, Mapping>>;
        readonly query: Readonly<Record<string, Mapping>>;
      };
}

interface Signature extends Carried {
  /** `hmac-<hash>` or `<hash>`, as node:crypto names them. */
  readonly algorithm: string;
  readonly key: Mapping | undefined;
  /** undefined: the raw body. */
  readonly over: Mapping | undefined;
  readonly encoding: 'hex' | 'base64' | 'base64url';
  readonly format: Mapping | undefined;
  readonly timestamp: Mapping | undefined;
  readonly toleranceMs: number;
}

// Operations --------------------------------------------------------------------------------------------------------

export const OPERATIONS = [
  'create',
  'update',
  'cancel',
  'track',
  'label',
  'lookup',
  'probe',
  'register',
  'unregister',
] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** Operations that ask and change nothing at the carrier: not fenced, repeated freely. */
export const READS: ReadonlySet<string> = new Set<OperationName>(['track', 'label', 'lookup', 'probe']);

export interface Operation {
  readonly name: OperationName;
  readonly place: Place;
  readonly steps: readonly [Step, ...Step[]];
  readonly idempotency: Idempotency;
  /** `track` only: numbers a call. */
  readonly batch: number;
  readonly result: Mapping | undefined;
}

/** `forMs`: for how long; undefined: always. */
export interface Idempotency {
  readonly by: 'key' | 'reference' | 'none';
  readonly forMs: number | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP call of an operation, everything inherited already merged in. */
export interface Step {
  readonly id: string;
  readonly place: Place;
  readonly when: Mapping | undefined;
  readonly forEach: Mapping | undefined;
  readonly batch: number | undefined;
  readonly parallel: number;
  readonly method: Method;
  /** Yields `/path`, taken after `environment.url`, or an absolute URL. */
  readonly url: Mapping;
  readonly headers: Readonly<Record<string, Mapping>>;
  readonly query: Readonly<Record<string, Mapping>>;
  readonly body: Body | undefined;
  readonly response: ResponseCodec | undefined;
  readonly auth: readonly Auth[];
  readonly limits: Limits;
  readonly retry: Retry;
  /** The step's, then the operation's, then the profile's: the first match wins; the built-ins come after. */
  readonly outcomes: readonly OutcomeRule[];
  /** What the carrier promises of a repeat of this call; undefined: what it promises of the operation. */
  readonly idempotency: Idempotency | undefined;
  readonly undo: Step | undefined;
}

export type ResponseCodec = 'json' | 'xml' | 'soap' | 'text' | 'binary' | 'multipart' | 'none';

export type Body =
  | { readonly codec: 'json' | 'xml' | 'form' | 'multipart' | 'text'; readonly content: Mapping }
  | {
      readonly codec: 'soap';
      readonly action: Mapping | undefined;
      readonly version: '1.1' | '1.2';
      readonly namespaces: Readonly<Record<string, string>>;
      readonly header: Mapping | undefined;
      readonly content: Mapping;
    };

export const OUTCOME_WORDS = [
  'succeed',
  'retry',
  'refresh_auth',
  'reject',
  'fail',
  'config_error',
  'unknown_outcome',
] as const;
export type OutcomeWord = (typeof OUTCOME_WORDS)[number];

export interface OutcomeRule {
  readonly place: Place;
  /** undefined: any that the built-ins do not keep for themselves (401, 403, 408, 429, 5xx). */
  readonly status: readonly StatusRange[] | undefined;
  readonly when: Mapping | undefined;
  readonly do: OutcomeWord;
  readonly code: Mapping | undefined;
  readonly messages: Mapping | undefined;
}

export type StatusRange = { readonly from: number; readonly to: number };

// Statuses ----------------------------------------------------------------------------------------------------------

export interface Statuses {
  readonly webhook: Webhook | undefined;
  readonly poll: Poll | undefined;
  readonly table: readonly StatusRow[];
}

export interface Webhook {
  readonly place: Place;
  readonly auth: readonly Auth[];
  readonly allow: readonly string[];
  readonly format: 'json' | 'xml' | 'form' | 'text' | undefined;
  readonly handshake: { readonly when: Mapping; readonly reply: Reply } | undefined;
  readonly reply: Reply;
  readonly events: Mapping;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, Mapping>>;
  readonly body: { readonly codec: 'json' | 'xml' | 'text'; readonly content: Mapping } | undefined;
}

export interface Poll {
  readonly everyMs: ReadonlyMap<NormalisedStatus | '*', number>;
  readonly untilMs: number;
}

/** A row of the status table: up to three patterns, compared with code, sub-code and description. */
export interface StatusRow {
  readonly place: Place;
  readonly key: string;
  readonly patterns: readonly [string, string, string];
  readonly status: TableStatus;
  readonly reason: Reason | undefined;
}
