// The carriers' side of the demo and the tests: a real HTTP server that shares no code with the engine.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatedCarrier } from './carrier.ts';
import { Log } from './log.ts';
import { advance, play } from './progress.ts';
import { createPusher, type LoggedPush } from './push.ts';
import { findCarriers } from './registry.ts';
import { serve } from './serving.ts';
import type { LoggedRequest, Running, Simulator, SimulatorOptions } from './simulator.ts';
import { createHost, type Host } from './world.ts';

const logLimit = 1000;

/** Starts the simulator on `port` of `host` (127.0.0.1). Throws for an unknown carrier code. */
export async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const carriers = await chooseCarriers(options.carriers);
  const closing = new AbortController();
  const requests = new Log<LoggedRequest>(logLimit);
  const pushes = new Log<LoggedPush>(logLimit);
  let target = options.pushTo ?? null;
  const push = createPusher(() => target, pushes, closing.signal);
  const hosts = new Map<string, Host>();

  const getHost = (code: string): Host => {
    const host = hosts.get(code);
    if (!host) throw new Error(`The simulator has no carrier "${code}"`);
    return host;
  };
  const running: Running = {
    carriers: {},
    credentials: {},
    get requests() {
      return requests.list();
    },
    get pushes() {
      return pushes.list();
    },
    host: (code) => hosts.get(code) ?? null,
    shipments: (code) => getHost(code).world.shipments.list(),
    behave: (code, behaviour) => getHost(code).behaviours.add(behaviour),
    advance: async (code, step) => found(await advance(getHost(code), step, push)),
    play: async (code, spec) => found(await play(getHost(code), spec, push, closing.signal)),
    pushTo: (to) => {
      target = to;
    },
    clear: () => {
      requests.clear();
      pushes.clear();
      for (const host of hosts.values()) host.behaviours.clear();
    },
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response, { running, hosts, requests, signal: closing.signal }).catch((error: unknown) => {
      response.socket?.destroy(error instanceof Error ? error : undefined);
    });
  });
  const url = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  for (const carrier of carriers) {
    const host = createHost(carrier, {
      url: `${url}/${carrier.code}`,
      credentials: options.credentials?.[carrier.code] ?? {},
      privateLabels: options.privateLabels ?? false,
      now: options.now ?? (() => new Date()),
    });
    hosts.set(carrier.code, host);
    const { autoplay } = options;
    if (autoplay) {
      host.world.shipments.onAdd = (shipment) => {
        const spec = { ...autoplay, trackingNumber: shipment.trackingNumber };
        void play(host, spec, push, closing.signal);
      };
    }
  }
  const baseUrls = carriers.map(({ code, basePath }) => [code, `${url}/${code}${basePath}`] as const);
  const accepted = [...hosts].map(([code, host]) => [code, host.world.credentials] as const);
  return Object.assign(running, {
    url,
    carriers: Object.fromEntries(baseUrls),
    credentials: Object.fromEntries(accepted),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function chooseCarriers(
  wanted: readonly (string | SimulatedCarrier)[] | undefined,
): Promise<readonly SimulatedCarrier[]> {
  if (wanted?.every((entry) => typeof entry !== 'string')) return wanted;
  const known = await findCarriers();
  if (!wanted) return known;
  return wanted.map((entry) => {
    const carrier = typeof entry === 'string' ? known.find(({ code }) => code === entry) : entry;
    if (carrier) return carrier;
    throw new Error(
      `No simulated carrier "${typeof entry === 'string' ? entry : entry.code}"; there are ${known.map(({ code }) => code).join(', ')}`,
    );
  });
}

function found<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The simulated carrier knows no such parcel');
  return value;
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
