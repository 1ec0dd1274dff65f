/** A request as the transport sends it, and what comes of it. */
import type { HostList } from './address.ts';

/** A client certificate, all in PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase?: string | undefined;
}

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Absolute. Credentials in it are refused; they belong in a header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly tls?: ClientCertificate | undefined;
  /** Where the request may go; without it, to any address that the guard lets pass. */
  readonly allowedHosts?: HostList | undefined;
  /**
   * A new connection, or one of which the server said within the last second that it keeps it for longer: for what must
   * not become ambiguous by meeting one that is just being closed.
   */
  readonly freshConnection?: boolean | undefined;
  /** By Node's own client, at a quarter of got's cost: for what we send many of. */
  readonly isPlain?: boolean | undefined;
}

export interface WireLimits {
  /** From the call to the last byte of the answer, and to its turn to be unpacked; waiting for a free connection included. */
  readonly timeoutMs: number;
  /** Of the answer's body, counted after decompression. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Why no byte of the request left. */
export type NotSentCode =
  | 'url_invalid'
  | 'plain_http_forbidden'
  | 'host_not_declared'
  | 'address_forbidden'
  | 'request_invalid'
  | 'name_not_found'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_failed'
  | 'connect_timeout'
  | 'queue_timeout'
  | 'tls_certificate_expired'
  | 'tls_certificate_untrusted'
  | 'tls_wrong_host'
  | 'tls_failed'
  | 'aborted'
  | 'transport_closed';

/** Why nobody knows what became of a request that may have left. */
export type AmbiguousCode =
  | 'timeout'
  | 'connection_reset'
  | 'connection_failed'
  | 'body_cut'
  | 'body_undecodable'
  | 'too_large'
  | 'headers_too_large'
  | 'answer_malformed'
  | 'aborted';

/** A whole answer, whatever its status; redirects are answers too. */
export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Lower-case names; repeated ones joined by `, `. As they came: `content-encoding` may name what is already undone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface WireNotSent {
  readonly kind: 'not_sent';
  readonly code: NotSentCode;
  readonly message: string;
}

export interface WireAmbiguous {
  readonly kind: 'ambiguous';
  readonly code: AmbiguousCode;
  readonly message: string;
  /** What was seen of an answer that did not arrive whole. */
  readonly partial?: { readonly status: number } | undefined;
  /** No answer began, and the connection was one of an earlier request: its server may have closed it meanwhile. */
  readonly isKept?: boolean | undefined;
}

/** `not_sent` only when it is certain that no byte of the HTTP request left; whatever is doubtful is `ambiguous`. */
export type WireOutcome = WireAnswer | WireNotSent | WireAmbiguous;
