/** What the admin routes answer, where their shapes are not those of the server's own files. */
import type { Static } from 'typebox';
import type { ConsignmentView, ListEntry } from '../../src/platform/api/consignment-shapes.ts';
import type { DeliveryEntry } from '../../src/platform/api/webhook-shapes.ts';

export type { DeliveryEntry, DeliveryWhole } from '../../src/platform/api/webhook-shapes.ts';

interface About {
  readonly id: number;
  readonly shipper: string;
  readonly environment: string;
  readonly orderTypes: readonly string[];
}
export type Listed = About & ListEntry;

interface Message {
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly encoding?: string;
  readonly size?: number;
}
export interface Exchange {
  readonly id: number;
  readonly dispatchId?: number;
  readonly step?: string;
  readonly attempt?: number;
  readonly outcome?: string;
  readonly message?: string;
  readonly at: string;
  readonly durationMs?: number;
  readonly request: Message & { readonly method: string; readonly url: string };
  readonly response: (Message & { readonly status: number }) | null;
}
export interface Story extends Omit<About, 'environment'>, Static<typeof ConsignmentView> {
  readonly order: unknown;
  readonly exchanges: readonly Exchange[];
  readonly notices: readonly { eventId: string; sequence: number; event: string; createdAt: string }[];
  readonly deliveries: readonly DeliveryEntry[];
  readonly audit: readonly { at: string; actor: string; action: string; detail?: string }[];
  readonly cut: readonly string[];
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
export interface Unmapped {
  readonly carrierCode: string;
  readonly code: string;
  readonly subCode?: string;
  readonly description?: string;
  readonly count: number;
  readonly lastSeen: string;
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
  readonly capabilities: unknown;
  readonly services?: readonly { readonly code: string; readonly name?: string }[];
  readonly environments: readonly string[];
  readonly operations: readonly string[];
  readonly credentials: readonly AccountField[];
  readonly settings: readonly AccountField[];
  readonly labelFormats: readonly string[];
  readonly statuses: { readonly rows: number; readonly webhook: boolean; readonly poll: boolean };
}
export interface AccountField {
  readonly name: string;
  readonly type: string;
  readonly secret: boolean;
  readonly optional: boolean;
  readonly title?: string;
}
export interface Checked {
  readonly result: string;
  readonly code?: string;
  readonly messages?: readonly string[];
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
