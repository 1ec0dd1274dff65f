/** What the admin routes answer: from the server's schemas where it has them. */
import type { Static } from 'typebox';
import type * as shapes from '../../src/platform/api/console-shapes.ts';

export type {
  DeliveryEntry,
  DeliveryWhole,
  RedeliveryView,
  WebhookTested,
} from '../../src/platform/api/webhook-shapes.ts';
export type { Explanation, ExplainedExchange } from '../../src/workbench/explain/explain-run.ts';
export type { ExplainedValue } from '../../src/workbench/explain/explain-values.ts';

export type Activity = Static<typeof shapes.Activity>;
export type CarrierWhole = Static<typeof shapes.CarrierWhole>;
export type Settings = Static<typeof shapes.Settings>;

export type Listed = Static<typeof shapes.ListedEntry>;

interface Message {
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly encoding?: string;
  readonly size?: number;
}
export interface Exchange {
  readonly id: number;
  readonly dispatchId?: number;
  readonly operation: string;
  readonly step: string;
  readonly attempt?: number;
  readonly outcome?: string;
  readonly message?: string;
  readonly at: string;
  readonly durationMs?: number;
  readonly request: Message & { readonly method: string; readonly url: string };
  readonly response: (Message & { readonly status: number }) | null;
}
export interface Story extends Omit<Static<typeof shapes.Story>, 'exchanges'> {
  readonly exchanges: readonly Exchange[];
}

export interface Held {
  readonly id: number;
  readonly operation: string;
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packages: readonly string[];
  readonly failure: { readonly why: string; readonly code: string; readonly messages: readonly string[] };
  readonly heldAt: string;
}
export interface Many {
  readonly dryRun: boolean;
  readonly doneCount: number;
  readonly refusedCount: number;
  readonly data: readonly {
    readonly id: number;
    readonly result: string;
    readonly code?: string;
    readonly message?: string;
  }[];
}
export interface Waiting {
  readonly id: number;
  readonly operation: string;
  readonly shipper: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly environment: string;
  readonly attempts: number;
  readonly awaySince?: string;
  readonly nextTryAt: string;
  readonly failure: { readonly code: string; readonly messages: readonly string[] };
}
export interface RefusedLogin {
  readonly account: number;
  readonly shipper: string;
  readonly carrierCode: string;
  readonly environment: string;
  readonly auth: string;
  readonly code: string;
  readonly refusedAt: string;
}
export interface Push {
  readonly id: number;
  readonly carrierCode: string;
  readonly source: string;
  readonly receivedAt: string;
  readonly state: string;
  readonly failure?: string;
  readonly unmatched: number;
  readonly ambiguous: number;
  readonly unmapped: number;
}
interface Name {
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
}
export interface WholePush {
  readonly environment?: string;
  readonly body: string;
  readonly readNow: { readonly updates: number; readonly problems: readonly string[] };
  readonly events: readonly {
    readonly match: string;
    readonly status: string;
    readonly candidates: readonly Name[];
  }[];
}
export interface Unmapped {
  readonly carrierCode: string;
  readonly code: string;
  readonly subCode?: string;
  readonly description?: string;
  readonly count: number;
  readonly lastSeen: string;
}
export interface ProfileChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly added: number;
  readonly writable: boolean;
}
export interface FailedLabel {
  readonly id: string;
  readonly shipper: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packageId?: string;
  readonly reason?: { readonly code: string; readonly message?: string };
}
export interface Backlog {
  readonly queue: string;
  readonly carrier?: string;
  readonly state: string;
  readonly count: number;
  readonly due: number;
  readonly oldestDueAt?: string;
}
export interface Breaker {
  readonly carrier: string;
  readonly account?: number;
  readonly state: 'closed' | 'open' | 'kept_open';
  readonly failures: number;
  readonly lastCallAt?: string;
  readonly lastGoodCallAt?: string;
  readonly keptOpenUntil?: string;
}
export interface AnyWebhook {
  readonly id: string;
  readonly url: string;
  readonly shipper: string;
  readonly environment: string;
  readonly orderTypes: readonly string[];
  readonly state: 'active' | 'paused';
  readonly pauseReason?: string;
  readonly failingSince?: string;
}
export interface Loaded {
  readonly carriers: readonly LoadedCarrier[];
  readonly findings: readonly { readonly text: string; readonly severity: string }[];
}
interface LoadedCarrier {
  readonly code: string;
  readonly name: string;
  readonly hash: string;
  readonly services?: readonly { readonly code?: string; readonly name?: string }[];
  readonly environments: readonly string[];
  readonly operations: readonly string[];
  readonly credentials: readonly AccountField[];
  readonly settings: readonly AccountField[];
  readonly labelFormats: readonly string[];
  readonly statuses: { readonly rows: number; readonly webhook: boolean; readonly poll: boolean };
}
export type AccountField = CarrierWhole['credentials'][number];
export interface Checked {
  readonly result: 'good' | 'refused' | 'unclear' | 'nothing_to_ask';
  readonly code?: string;
  readonly messages?: readonly string[];
}
export interface Version {
  readonly hash: string;
  readonly keptAt: string;
  readonly current: boolean;
}
export interface Shipper {
  readonly code: string;
  readonly name: string;
  readonly state: string;
}
export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail?: string;
}
export interface SessionEntry {
  readonly id: string;
  readonly actor: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}
export interface Account {
  readonly id: number;
  readonly shipper: string;
  readonly carrier: string;
  readonly environment: string;
  readonly state?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly baseUrl?: string;
}
export interface TokenEntry {
  readonly id: string;
  readonly kind: string;
  readonly code: string;
  readonly role?: string;
  readonly environment?: string;
  readonly state: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
}
