/** A piece of traffic that is run through a profile again. */
import type { CaseFile } from '../cases/read.ts';
import type { KeptAnswer } from '../../engine/dispatch/ports.ts';
import type { Place } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import type { IncomingRequest } from '../../engine/statuses/carrier-webhook.ts';

/** A request to a carrier with the answer it got, as a HAR or the records have it. */
export interface RecordedCall {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: KeptAnswer;
}

/** Which step of which operation; without a step, the operation's last. */
export interface Target {
  readonly operation: OperationName;
  readonly step?: string | undefined;
}

type Content =
  /** The body of `POST /v2/consignments`. */
  | { readonly kind: 'order'; readonly body: unknown; readonly createdAtMs?: number | undefined }
  /** The contract's flat form. */
  | { readonly kind: 'consignment'; readonly consignment: Readonly<Record<string, unknown>> }
  /** The contract's status update, or several. */
  | { readonly kind: 'push'; readonly body: unknown }
  /** The carrier's own call. */
  | { readonly kind: 'webhook'; readonly came: IncomingRequest; readonly receivedAtMs?: number | undefined }
  | { readonly kind: 'answer'; readonly target: Target; readonly answer: KeptAnswer }
  | { readonly kind: 'call'; readonly call: RecordedCall }
  | { readonly kind: 'case'; readonly caseFile: CaseFile };

export type Payload = Content & {
  readonly place: Place;
  /** undefined: it does not say for whom it is. */
  readonly carrier: string | undefined;
};

/** What a source yields: a payload, or what could not be made one. */
export type Found = { readonly payload: Payload } | { readonly broken: Broken };

export interface Broken {
  readonly place: Place;
  readonly why: string;
}

/** `pushes.jsonl:17`; of the records, which have no lines (0), what it is: `push 12`. */
export const showPlace = ({ file, line }: Place): string => (line === 0 ? file : `${file}:${line}`);
