import { AbortError, TimeoutError } from 'got';
import { Failure, messageOf } from '../failure.ts';
import { BodyLate, BodyTooLarge, BodyUndecodable } from './body.ts';
import type { Stage } from './progress.ts';
import type { AmbiguousCode, NotSentCode, WireAmbiguous, WireNotSent } from './wire.ts';

const notSentByErrorCode: Readonly<Record<string, NotSentCode>> = {
  ENOTFOUND: 'name_not_found',
  ENODATA: 'name_not_found',
  EAI_AGAIN: 'dns_failed',
  EAI_FAIL: 'dns_failed',
  EAI_MEMORY: 'dns_failed',
  EAI_NODATA: 'name_not_found',
  EAI_NONAME: 'name_not_found',
  ESERVFAIL: 'dns_failed',
  ECONNREFUSED: 'connection_refused',
  CERT_HAS_EXPIRED: 'tls_certificate_expired',
  CERT_NOT_YET_VALID: 'tls_certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_certificate_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_certificate_untrusted',
  CERT_UNTRUSTED: 'tls_certificate_untrusted',
  CERT_REVOKED: 'tls_certificate_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_host',
};

const addressCodes: ReadonlySet<string> = new Set(['address_forbidden', 'plain_http_forbidden', 'name_not_found']);

const ambiguousByErrorCode: Readonly<Record<string, AmbiguousCode>> = {
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: 'body_cut',
  ERR_UPGRADE_UNASKED: 'answer_malformed',
};

/** The error beneath got's wrapping, which alone names the reason. */
const rootOf = (thrown: unknown): unknown => {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error && error.cause instanceof Error; depth += 1) {
    if (error instanceof Failure || error instanceof BodyTooLarge || error instanceof BodyUndecodable) break;
    error = error.cause;
  }
  return error;
};

/** In one line; of several addresses tried in vain, what the first one said, but not which it is. */
const describe = (root: unknown): string => {
  const first: unknown = root instanceof AggregateError && root.message === '' ? root.errors[0] : root;
  return messageOf(first)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(connect E\w+) .*$/, '$1');
};

const errorCodeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
};

const isTls = (code: string): boolean => /^(ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_)/.test(code);

const notSentCodeOf = (root: unknown, stage: Stage): NotSentCode => {
  const code = errorCodeOf(root);
  if (root instanceof Failure && addressCodes.has(root.code)) return root.code as NotSentCode;
  const known = notSentByErrorCode[code];
  if (known !== undefined) return known;
  if (isTls(code)) return 'tls_failed';
  const isRefusedByNode = root instanceof TypeError || code.startsWith('ERR_');
  return stage === 'waiting' && isRefusedByNode ? 'request_invalid' : 'connection_failed';
};

/** Outcome of a request that failed before its connection stood. */
export const classifyNotSent = (thrown: unknown, stage: Stage): WireNotSent => {
  if (thrown instanceof AbortError) {
    return { kind: 'not_sent', code: 'aborted', message: 'The request was called off before it was sent' };
  }
  if (thrown instanceof TimeoutError) {
    return stage === 'waiting'
      ? { kind: 'not_sent', code: 'queue_timeout', message: 'No connection came free in time' }
      : { kind: 'not_sent', code: 'connect_timeout', message: 'The connection did not stand in time' };
  }
  const root = rootOf(thrown);
  return { kind: 'not_sent', code: notSentCodeOf(root, stage), message: describe(root) };
};

const ambiguousCodeOf = (thrown: unknown, root: unknown, status: number | undefined): AmbiguousCode => {
  if (thrown instanceof AbortError) return 'aborted';
  if (thrown instanceof TimeoutError || thrown instanceof BodyLate) return 'timeout';
  if (root instanceof BodyTooLarge) return 'too_large';
  if (root instanceof BodyUndecodable) return 'body_undecodable';
  const code = errorCodeOf(root);
  const known = ambiguousByErrorCode[code];
  if (known === 'connection_reset' && status !== undefined) return 'body_cut';
  if (known !== undefined) return known;
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return 'body_cut';
  return code.startsWith('HPE_') ? 'answer_malformed' : 'connection_failed';
};

/** Outcome of a request that failed after its connection stood; `status` where an answer had begun. */
export const classifyAmbiguous = (thrown: unknown, status: number | undefined): WireAmbiguous => {
  const root = rootOf(thrown);
  return {
    kind: 'ambiguous',
    code: ambiguousCodeOf(thrown, root, status),
    message: describe(root),
    ...(status !== undefined && { partial: { status } }),
  };
};
