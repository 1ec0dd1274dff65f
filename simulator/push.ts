// Sends a carrier's status pushes to the platform, one request an event.
import type { Pusher, PushResult, PushTarget } from './progress.ts';
import type { Log } from './log.ts';

export interface LoggedPush {
  readonly at: string;
  readonly carrier: string;
  readonly url: string;
  readonly body: string;
  readonly result: PushResult;
}

const timeoutMs = 30_000;

/** A pusher to whatever `target` gives at the time; a carrier without a secret there is silent. */
export function createPusher(target: () => PushTarget | null, log: Log<LoggedPush>, signal: AbortSignal): Pusher {
  return async (host, shipment, parcel, event) => {
    const to = target();
    const secret = to?.secrets[host.carrier.code];
    if (!to || secret === undefined || !host.carrier.push) return null;
    const push = host.carrier.push(event, { shipment, parcel }, secret);
    const url = to.url.replace(/\/+$/, '') + push.path;
    const result = await send(url, { headers: push.headers, body: push.body }, signal);
    log.add({ at: host.world.now().toISOString(), carrier: host.carrier.code, url, body: push.body, result });
    return result;
  };
}

async function send(
  url: string,
  request: { headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
): Promise<PushResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...request.headers },
      body: request.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}
