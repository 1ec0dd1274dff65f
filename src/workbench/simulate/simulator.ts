/** Carriers as HTTP servers that answer out of their cases: any carrier of a home, without code of its own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { requireShown } from './behaviour.ts';
import { isOf } from './choose.ts';
import { control } from './control.ts';
import { deliver } from './deliver.ts';
import { act, type Host, openHost } from './host.ts';
import { advance, play, type Pushed } from './progress.ts';
import { sceneRequest } from './requests.ts';
import type { LoggedRequest, Simulator, SimulatorOptions } from './running.ts';
import { refusal, type SimulatedAnswer } from './wording.ts';

const LOG_MAX = 1_000;
const BODY_MAX_BYTES = 5_000_000;

const keep = <Entry>(log: Entry[], entry: Entry): void => {
  if (log.push(entry) > LOG_MAX) log.shift();
};

/** Listens on `port` of `host` (127.0.0.1) as soon as it resolves. */
export const startSimulator = async (options: SimulatorOptions): Promise<Simulator> => {
  const {
    carriers,
    files,
    nowMs = Date.now,
    port = 0,
    host = '127.0.0.1',
    autoplay,
    behaviours: always = [],
  } = options;
  const closing = new AbortController();
  const [requests, pushes]: [LoggedRequest[], Pushed[]] = [[], []];
  let target = options.pushTo;
  const outside = { target: () => target, pushed: (push: Pushed) => keep(pushes, push), signal: closing.signal };
  const hosts = new Map<string, Host>();
  for (const carrier of carriers) hosts.set(carrier.code, await openHost(carrier, files, { nowMs, always }));
  const hostOf = (code: string): Host => {
    const found = hosts.get(code);
    if (found === undefined) throw new Error(`the simulator serves no carrier ${code}`);
    return found;
  };
  const running: Simulator = {
    url: '',
    carriers: {},
    accounts: Object.fromEntries([...hosts].map(([code, host]) => [code, accountToSave(host)])),
    requests,
    pushes,
    shipments: (code) => hostOf(code).book.list(),
    behave: (code, behaviour) => {
      requireShown(behaviour, hostOf(code).scenes);
      hostOf(code).behaviours.add(behaviour);
    },
    advance: async (code, step) => await advance(hostOf(code), step, outside),
    play: async (code, way) => await play(hostOf(code), way, outside),
    pushTo: (to) => void (target = to),
    clear: () => {
      for (const log of [requests, pushes]) log.splice(0);
      for (const { behaviours } of hosts.values()) behaviours.clear();
    },
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://simulator.invalid');
    const [, code = '', ...rest] = url.pathname.split('/');
    const method = incoming.method ?? 'GET';
    const body = await buffer(incoming);
    const [path, host] = [`/${rest.join('/')}`, hosts.get(code)];
    const withoutHost = async (): Promise<SimulatedAnswer> =>
      code === '_control' ? await control(method, path, body, running) : refusal(404, `there is no carrier ${code}`);
    const isTooLarge = body.byteLength > BODY_MAX_BYTES;
    if (host === undefined || isTooLarge) {
      const other = isTooLarge ? refusal(413, 'the body is too large') : await withoutHost();
      return await deliver(response, other, undefined, closing.signal);
    }
    const before = new Set(host.book.list());
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const asked = sceneRequest({ method, path, query: url.searchParams, headers, body });
    const problem = host.behaviours.take(method, path, body, (operation) => isOf(host.scenes.scenes, asked, operation));
    const answer = await act(host, asked, problem, `${running.url}/${code}`);
    const isSilent = problem?.do === 'hang' || problem?.do === 'reset';
    keep(requests, {
      carrier: code,
      method,
      path: path + url.search,
      headers: incoming.headers,
      body: body.toString(),
      status: isSilent ? undefined : answer.status,
      from: answer.from,
    });
    for (const shipment of autoplay === undefined ? [] : host.book.list().filter((one) => !before.has(one))) {
      const number = shipment.roles.get('packages.0.number') ?? shipment.roles.get('number') ?? '';
      void play(host, { ...autoplay, number }, outside).catch(() => {});
    }
    await deliver(response, answer, problem, closing.signal);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) =>
      response.destroy(thrown instanceof Error ? thrown : undefined),
    );
  });
  const url = await listen(server, port, host);
  return Object.assign(running, {
    url,
    carriers: Object.fromEntries([...hosts.keys()].map((code) => [code, `${url}/${code}`])),
  });
};

/** Without what the carrier gives when its webhook is registered. */
const accountToSave = ({ account, scenes }: Host): Simulator['accounts'][string] => {
  const own = Object.entries(account.credentials).filter(
    ([name]) => scenes.carrier.credentials[name]?.fromRegister !== true,
  );
  return { credentials: Object.fromEntries(own), settings: account.settings };
};

const listen = async (server: Server, port: number, host: string): Promise<string> => {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { family, address, port: taken } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
};
