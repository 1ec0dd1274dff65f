import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * How far a request got. `waiting`: no connection yet; `connecting`: DNS, TCP or TLS under way; `open`: the connection
 * stands, so bytes of the request may have left.
 */
export type Stage = 'waiting' | 'connecting' | 'open';

const isConnecting = (socket: Socket | TLSSocket): boolean =>
  socket.connecting || ('secureConnecting' in socket && socket.secureConnecting === true);

/**
 * Follows one request. Node holds what is written until `connect`, over TLS until `secureConnect`, which comes only
 * after the certificate was found good; so before `open` no byte of the request can have left.
 */
export const followProgress = (isSecure: boolean): { stage: () => Stage; watch: (request: ClientRequest) => void } => {
  let stage: Stage = 'waiting';
  const follow = (socket: Socket): void => {
    if (!isConnecting(socket)) {
      stage = 'open';
      return;
    }
    stage = 'connecting';
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      stage = 'open';
    });
  };
  return {
    stage: () => stage,
    watch: (request) => {
      if (request.socket === null) request.once('socket', follow);
      else follow(request.socket);
    },
  };
};
