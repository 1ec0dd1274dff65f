/** What the API asks of the rest of the engine; `src/platform/processes` composes it, tests make their own. */
import type { Pool } from 'pg';
import type { Sealer } from '../records/sealer.ts';
import type { Asked } from '../../engine/ask/ask.ts';
import type { AskedAbout, AskedName } from '../../engine/ask/operations.ts';
import type { FairSemaphore } from '../../engine/fair-semaphore.ts';
import type { Fonts } from '../../engine/labels/fonts.ts';
import type { LabelOutcome } from '../../engine/labels/fetch.ts';
import type { ServedLabel } from '../../engine/labels/serve.ts';
import type { CheckedCredentials } from '../../engine/dispatch/check-credentials.ts';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { Problem } from '../../engine/failure.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Carrier, EnvironmentName, ServiceRow } from '../../engine/profile/carrier.ts';
import type { Policy } from '../../engine/policy/policy.ts';
import type { Quoted } from '../../engine/rates/quote.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import type { IncomingRequest, WebhookReply } from '../../engine/statuses/carrier-webhook.ts';
import type { Log } from '../records/pool.ts';
import type { ChangeContext } from '../records/change.ts';
import type { Role } from '../records/tokens.ts';
import type { PushIntake } from '../records/process-push.ts';
import type { AddressPolicy } from '../../engine/transport/address.ts';
import type { Traces } from '../../engine/trace.ts';
import type { Transport } from '../../engine/transport/transport.ts';
import type { Limits } from './rate-limit.ts';

export interface ApiDeps extends ChangeContext {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly log: Log;
  /** As this process was started, without secrets. */
  readonly settings: readonly ShownSetting[];
  /** Undefined: traces are off. */
  readonly traces?: Traces | undefined;
  /** Each is valid. */
  readonly adminTokens: readonly string[];
  /** At which operators may sign in to the console, too. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** How long a reply waits for the carrier. */
  readonly createWaitMs: number;
  /** Within which whoever asks has an answer, whatever keeps us: longer than `createWaitMs`. */
  readonly answerWithinMs: number;
  /** Addresses and CIDRs of proxies whose X-Forwarded-For is believed; none: nobody’s. */
  readonly trustProxy: readonly string[];
  /** How often who may ask. */
  readonly limits: Limits;
  /** How many slots a shipper may hold that no order uses. */
  readonly slotsHeld: number;
  /** Who works at a time. */
  readonly turns: FairSemaphore;
  /** How long a request waits for its turn. */
  readonly turnWaitMs: number;
  readonly carriers: CarrierDirectory;
  /** What a shipper's webhook may lie on. */
  readonly addressPolicy: AddressPolicy;
  /** For test events to webhooks, which are sent at once. */
  readonly send: Transport['send'];
  /** Resolves with true when the dispatch has ended (also if it had before the call), or when the time is up. Never rejects. */
  waitForDispatch(dispatchId: number, timeoutMs: number): Promise<boolean>;
  /** These dispatches, of this carrier where it is known, are committed and due: hands them to whoever has room. Never waits, never throws. */
  handOn(dispatchIds: readonly number[], carrierCode?: string): void;
  /** Of what carriers say. */
  readonly intake: PushIntake;
  serveLabel(labelId: string): Promise<ServedLabel>;
  /** Of documents that are made here. */
  fonts(): Promise<Fonts>;
  /** A document of a manifest, from where its carrier says that it lies. */
  download(
    of: { readonly carrierCode: string; readonly environment: EnvironmentName; readonly accountId: number | undefined },
    url: string,
  ): Promise<LabelOutcome>;
  /** Authenticates, records and answers a request in a carrier's own format; `account` is what follows in the path. */
  receiveWebhook(carrierCode: string, account: string | undefined, incoming: IncomingRequest): Promise<ReceivedWebhook>;
  /** Runs the profile's `register` or `unregister` for an account, and notes it in the audit log. */
  registerAccount(accountId: number, operation: 'register' | 'unregister', actor: string): Promise<Registered>;
  /** Asks the carrier whether it takes an account's credentials, and notes it in the audit log; undefined: there is none. */
  checkAccount(accountId: number, actor: string): Promise<CheckedAccount | undefined>;
  /** What a carrier would take, or took a few minutes ago. */
  readonly quote: Quotes;
  readonly ask: Ask;
  readonly breakers: Breakers;
  readiness(): Promise<Readiness>;
  /** In the text format of Prometheus. */
  /** `wholly`: with the figures by carrier and by shipper. */
  metrics(wholly?: boolean): Promise<string>;
  /** Counts a request that was answered with one of `REFUSED`; `area` is the tag of its route. */
  refused(status: number, area: string): void;
}

/** Whoever vouches for operators, and what their groups may do here. */
export interface IdentityProvider {
  /** Its `/.well-known/openid-configuration` is below. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim of the ID token that names the groups of a person. */
  readonly claim: string;
  /** By group; of several, the highest role holds, and who is in none may not sign in. */
  readonly roles: ReadonlyMap<string, Role>;
}

export interface ShownSetting {
  readonly variable: string;
  readonly description: string;
  readonly default: string;
  readonly state: 'default' | 'set';
  readonly value?: string;
}

/** A carrier, in a shipper's account. */
export interface AskedCarrier {
  readonly carrier: Carrier;
  readonly accountId: number;
  readonly environment: EnvironmentName;
}

/** Asks for prices of a consignment; without a service, in all of the carrier's. */
export type Quotes = (
  question: AskedCarrier & { readonly consignment: Consignment; readonly service?: ServiceRow | undefined },
) => Promise<{ readonly quoted: Quoted; readonly askedAtMs: number }>;

/** Asks once. Of what changes something at the carrier, only the caller knows that it was asked. */
export type Ask = <Name extends AskedName>(
  name: Name,
  about: AskedAbout<Name>,
  whom: AskedCarrier,
) => Promise<Asked<Name>>;

/** Circuit breakers as all processes share them, by what is limited: a carrier, or `carrier/account`. */
interface Breakers {
  /** Times are the shared clock's, milliseconds since 1970. */
  breakers(parties: readonly string[]): Promise<{
    readonly nowMs: number;
    readonly states: ReadonlyMap<
      string,
      {
        readonly failures: number;
        readonly newestMs: number | null;
        readonly healthyMs: number | null;
        readonly keptOpenUntilMs?: number | undefined;
      }
    >;
  }>;
  /** Keeps one open for so long; 0: closes it. */
  setBreaker(party: string, openForMs: number): Promise<void>;
}

/** With what the carrier was asked, masked. */
export type CheckedAccount = CheckedCredentials & { readonly asked: readonly CarrierQuestion[] };
type CarrierQuestion = Pick<Exchange, 'method' | 'url' | 'status' | 'outcome' | 'message'>;

/** The carriers as they are loaded now. */
export interface CarrierDirectory {
  /** One that may be dispatched to: never an abstract one. */
  find(code: string): Carrier | undefined;
  list(): readonly Carrier[];
  /** What chooses a carrier, by its name. */
  policy(name: string): Policy | undefined;
  /** What kept carriers and policies from loading, or was doubtful, at the last load. */
  findings(): readonly Finding[];
  /** Reads all profiles anew; a carrier that no longer loads stays as it was. */
  reload(): Promise<void>;
}

export type ReceivedWebhook =
  /** Proved, and recorded. */
  | { readonly kind: 'admitted'; readonly reply: WebhookReply }
  /** Proves nothing, and is answered all the same. */
  | { readonly kind: 'handshake'; readonly reply: WebhookReply }
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 403 }
  /** No such carrier, or it has no webhook. An account that there is not is `refused`, as a wrong proof is. */
  | { readonly kind: 'unknown' };

export type Registered =
  | { readonly kind: 'done'; readonly webhookUrl: string }
  /** The carrier refused, or could not be asked, or gave what does not fit the account. */
  | { readonly kind: 'failed'; readonly problem: Problem }
  /** The profile has no such operation. */
  | { readonly kind: 'not_offered' }
  | { readonly kind: 'unknown' };

export interface Readiness {
  readonly ready: boolean;
  /** By part: the database, the queue, the carriers. */
  readonly parts: Readonly<Record<string, { readonly ready: boolean; readonly message?: string | undefined }>>;
}
