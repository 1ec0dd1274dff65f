/** What an error of a request means: that nothing was sent, or that nobody knows. */
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Failure, messageOf } from '../failure.ts';
import { BodyError } from './body.ts';
import type { AmbiguousCode, NotSentCode, WireAmbiguous, WireNotSent } from './wire.ts';

/**
 * How far a request got. `waiting`: no connection yet; `connecting`: DNS, TCP or TLS under way; `open`: the connection
 * stands, so bytes of the request may have left; `kept`: so does one of an earlier request, which its server may be closing.
 */
export type Stage = 'waiting' | 'connecting' | 'open' | 'kept';

const isConnecting = (socket: Socket | TLSSocket): boolean =>
  socket.connecting || ('secureConnecting' in socket && socket.secureConnecting === true);

/**
 * Tells `onStage` how far a request gets. Node holds what is written until `connect`, over TLS until `secureConnect`,
 * which comes only after the certificate was found good; so before `open` no byte of the request can have left.
 */
export const followStages = (request: ClientRequest, isSecure: boolean, onStage: (stage: Stage) => void): void => {
  const follow = (socket: Socket): void => {
    if (!isConnecting(socket)) return onStage('kept');
    onStage('connecting');
    socket.once(isSecure ? 'secureConnect' : 'connect', () => onStage('open'));
  };
  if (request.socket === null) request.once('socket', follow);
  else follow(request.socket);
};

const byErrorCode = <Code extends string>(errors: Readonly<Partial<Record<Code, string>>>): ReadonlyMap<string, Code> =>
  new Map(
    Object.entries<string | undefined>(errors).flatMap(([code, names = '']) =>
      names.split(' ').map((name) => [name, code as Code] as const),
    ),
  );

const NOT_SENT = byErrorCode<NotSentCode>({
  name_not_found: 'ENOTFOUND ENODATA EAI_NODATA EAI_NONAME name_not_found',
  address_forbidden: 'address_forbidden',
  plain_http_forbidden: 'plain_http_forbidden',
  dns_failed: 'EAI_AGAIN EAI_FAIL EAI_MEMORY ESERVFAIL',
  connection_refused: 'ECONNREFUSED',
  tls_certificate_expired: 'CERT_HAS_EXPIRED CERT_NOT_YET_VALID',
  tls_certificate_untrusted:
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_UNTRUSTED CERT_REVOKED',
  tls_wrong_host: 'ERR_TLS_CERT_ALTNAME_INVALID',
});

const AMBIGUOUS = byErrorCode<AmbiguousCode>({
  connection_reset: 'ECONNRESET EPIPE ECONNABORTED',
  headers_too_large: 'HPE_HEADER_OVERFLOW',
  body_cut: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH ERR_STREAM_PREMATURE_CLOSE',
  answer_malformed: 'ERR_UPGRADE_UNASKED',
});

/** What ends a request before its time; got has errors of these names. */
type EndName = 'AbortError' | 'TimeoutError';
export const named = (name: EndName, message: string): Error => Object.assign(new Error(message), { name });
const isNamed = (thrown: unknown, name: EndName): boolean => thrown instanceof Error && thrown.name === name;

/** The error beneath got's wrapping, which alone names the reason. */
const rootOf = (thrown: unknown): unknown => {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error && error.cause instanceof Error; depth += 1) {
    if (error instanceof Failure || error instanceof BodyError) break;
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

const errorCodeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';

const notSentCodeOf = (root: unknown, stage: Stage): NotSentCode => {
  const code = errorCodeOf(root);
  const known = NOT_SENT.get(code);
  if (known !== undefined) return known;
  if (/^(ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_)/.test(code)) return 'tls_failed';
  const isRefusedByNode = root instanceof TypeError || code.startsWith('ERR_');
  return stage === 'waiting' && isRefusedByNode ? 'request_invalid' : 'connection_failed';
};

const ambiguousCodeOf = (thrown: unknown, root: unknown, status: number | undefined): AmbiguousCode => {
  if (isNamed(thrown, 'AbortError')) return 'aborted';
  if (isNamed(thrown, 'TimeoutError')) return 'timeout';
  if (root instanceof BodyError) return root.code;
  const code = errorCodeOf(root);
  const known = AMBIGUOUS.get(code);
  if (known === 'connection_reset' && status !== undefined) return 'body_cut';
  return known ?? (code.startsWith('HPE_') ? 'answer_malformed' : 'connection_failed');
};

export const notSent = (code: NotSentCode, message: string): WireNotSent => ({ kind: 'not_sent', code, message });

const notSentOutcomeOf = (thrown: unknown, stage: Stage): WireNotSent => {
  if (isNamed(thrown, 'AbortError')) return notSent('aborted', 'The request was called off before it was sent');
  if (isNamed(thrown, 'TimeoutError')) {
    return stage === 'waiting'
      ? notSent('queue_timeout', 'No connection came free in time')
      : notSent('connect_timeout', 'The connection did not stand in time');
  }
  const root = rootOf(thrown);
  return notSent(notSentCodeOf(root, stage), describe(root));
};

/** `status`: of an answer that had begun. */
export const outcomeOfError = (
  thrown: unknown,
  stage: Stage,
  status: number | undefined,
): WireNotSent | WireAmbiguous => {
  if ((stage === 'waiting' || stage === 'connecting') && status === undefined) return notSentOutcomeOf(thrown, stage);
  const root = rootOf(thrown);
  return {
    kind: 'ambiguous',
    code: ambiguousCodeOf(thrown, root, status),
    message: describe(root),
    ...(status === undefined ? stage === 'kept' && { isKept: true } : { partial: { status } }),
  };
};
