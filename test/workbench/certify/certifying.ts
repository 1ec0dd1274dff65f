import { onTestFinished } from 'vitest';
import { openInbox } from '../../../src/cli/certify-inbox.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { type AuthName, certifiedCarrier } from '../../../src/workbench/certify/carrier.ts';
import { type Certifying, certify } from '../../../src/workbench/certify/certify.ts';
import { fakeClock } from '../../support/clock.ts';
import { PROJECT } from '../../support/project.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';

const TOKEN = 'token-of-the-pushes';

interface Given {
  readonly auth?: AuthName;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly statuses?: Readonly<Record<string, string>>;
  /** Of an answer. */
  readonly timeoutMs?: number;
  readonly over?: Partial<Certifying>;
}

/** The certificate of an endpoint of the test's own. Its clock stands still, but for waits: those end when all is pushed. */
export const certified = async (endpoint: Endpoint | Promise<Endpoint> = startEndpoint(), given: Given = {}) => {
  const { url, close, pushTo, settled } = await endpoint;
  const { auth = 'bearer', credentials = { secret: 'endpoint-token' }, statuses = {}, timeoutMs = 30_000 } = given;
  const { carrier, account } = certifiedCarrier(
    { url, code: 'own', auth, header: 'X-Key', credentials, statuses },
    directoryFiles(PROJECT),
  );
  const path = '/v2/carriers/own/statuses';
  const inbox = await openInbox(0, path, TOKEN);
  const transport = createTransport({ userAgent: 'test', allowPrivateNetworks: true });
  onTestFinished(async () => {
    transport.close();
    await Promise.all([close().catch(() => {}), inbox.close()]);
  });
  pushTo(`${inbox.url}${path}`, TOKEN);
  const clock = fakeClock();
  return await certify({
    url,
    carrier,
    account,
    isProven: auth !== 'none',
    runId: 'WB1',
    send: async (request, limits) =>
      await transport.send(request, { ...limits, timeoutMs: Math.min(limits.timeoutMs, timeoutMs) }),
    pushes: () => inbox.pushes,
    waitMs: 60_000,
    pollMs: 1_000,
    nowMs: clock.now,
    sleep: async (ms) => {
      await settled();
      clock.advance(ms);
    },
    signal: new AbortController().signal,
    onWaiting: () => {},
    ...given.over,
  });
};

/** What is broken, by name. */
export const brokenIn = ({ statements }: Awaited<ReturnType<typeof certified>>): readonly string[] =>
  statements.filter(({ verdict }) => verdict === 'broken').map(({ id }) => id);
