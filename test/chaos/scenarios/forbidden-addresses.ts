/** Every spelling of an address that is not ours to call, wherever a URL can come from: no connection is made. */
import { randomUUID } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createTransport } from '../../../src/transport/transport.ts';
import { labelJobId } from '../../../src/store/label-drafts.ts';
import { newLabel } from '../../label/labels.ts';
import { literalHosts, metadataHosts, names, trickUrls } from '../../transport/ssrf-corpus.ts';
import { type House, openHouse } from '../house/house.ts';
import { orderTo } from '../house/order.ts';
import type { Dose, Scenario, ScenarioContext } from '../scenario.ts';

/** Every so manieth row of the corpus. */
const EVERY: Readonly<Record<Dose, number>> = { small: 8, quick: 2, full: 1 };

const AT_ONCE = 8;
const ENDED_WITHIN_MS = 60_000;

/** Listens on every address of this machine, and counts who comes. */
const openListener = async () => {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.resume();
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

const corpusAt = (port: number): readonly string[] => [
  ...[...literalHosts, ...metadataHosts].map(([, host]) => `https://${host}:${port}/`),
  ...Object.keys(names).map((name) => `https://${name}:${port}/`),
  `https://rebinding.example:${port}/`,
  ...['127.0.0.1', '2130706433', '[::1]', '169.254.169.254', 'localhost'].map((host) => `http://${host}:${port}/`),
  ...trickUrls(port),
];

const quoted = (text: string): string => JSON.stringify(text);

/** What speaks to this URL itself, and what asks there for a token. */
const profilesFor = (urls: readonly string[]): Record<string, string> =>
  Object.fromEntries([
    ...urls.flatMap((url, number): [string, string][] => [
      [
        `to${number}`,
        `carrier: to${number}\nname: Example\nextends: contract\nenvironments: { production: { url: ${quoted(url)} } }\n`,
      ],
      [
        `token${number}`,
        `carrier: token${number}
name: Example
extends: contract
environments: { production: { url: 'https://carrier.example' } }
auth: { oauth2: { grant: client_credentials, tokenUrl: ${quoted(url)}, clientId: example, clientSecret: example, clientAuth: body } }
`,
      ],
    ]),
    [
      'given',
      `carrier: given
name: Example
extends: contract
environments: { production: { url: 'https://carrier.example' } }
operations: { create: { post: '\${consignment.deliveryInstructions}' } }
`,
    ],
  ]);

/** What the guard of the way out says, or the reader of URLs before it. */
const REFUSALS =
  /address_forbidden|plain_http_forbidden|url_invalid|url_not_absolute|host_not_declared|host_pattern_invalid|request_invalid|name_not_found/;

interface Attempt {
  readonly how: string;
  readonly url: string;
  /** Undefined: it was refused for what it is. */
  readonly wrong: string | undefined;
}

const dispatchTo = async (house: House, shop: string, carrier: string, url: string): Promise<string | undefined> => {
  const reference = `${carrier}-${randomUUID()}`;
  const order = orderTo(carrier, reference);
  if (carrier === 'given') Object.assign(order['consignmentDetails'] as object, { deliveryInstructions: url });
  const reply = await house.call('POST', '/v2/consignments', shop, order);
  // A profile with such a URL may not even load.
  if (reply.status === 422 || reply.status === 400) return undefined;
  const look = async () =>
    await house.pool.query<{ state: string; failure: string | null }>(
      `select d.state, d.failure from dispatches d join consignments c on c.id = d.consignment_id
       where c.reference_number = $1`,
      [reference],
    );
  let [row] = (await look()).rows;
  const isUnderWay = (): boolean => row?.state === 'pending' || row?.state === 'sending';
  for (const until = Date.now() + ENDED_WITHIN_MS; isUnderWay() && Date.now() < until; await sleep(100))
    [row] = (await look()).rows;
  return row !== undefined && row.state !== 'done' && REFUSALS.test(row.failure ?? '')
    ? undefined
    : `${reply.status} ${JSON.stringify(row)}`;
};

const subscribeTo = async (house: House, shop: string, url: string): Promise<string | undefined> => {
  const reply = await house.call('POST', '/v2/webhooks', shop, { url, orderTypes: ['FORWARD'] });
  if (reply.status === 400) return undefined;
  const { id } = reply.json as { id: string };
  const tested = await house.call('POST', `/v2/webhooks/${id}/test`, shop);
  await house.call('DELETE', `/v2/webhooks/${id}`, shop);
  return REFUSALS.test(tested.text) ? undefined : `${tested.status} ${tested.text}`;
};

/** Has the workers fetch labels from all of them; yields what is wrong with each. */
const fetchLabelsFrom = async (house: House, urls: readonly string[]): Promise<readonly (string | undefined)[]> => {
  const { rows } = await house.pool.query<{ id: number }>('select id from consignments order by id limit 1');
  const ids: string[] = [];
  for (const sourceUrl of urls) {
    const id = await newLabel(house.pool, rows[0]?.id ?? 0, { position: null, sourceUrl, dueAtMs: Date.now() });
    await house.pool.query("insert into outbox (queue, job_id) values ('label', $1)", [labelJobId(id)]);
    ids.push(id);
  }
  const look = async () =>
    await house.pool.query<{ id: string; state: string; failure: string | null }>(
      'select id, state, failure from labels where id = any ($1)',
      [ids],
    );
  let found = await look();
  for (const until = Date.now() + ENDED_WITHIN_MS; Date.now() < until; await sleep(100)) {
    if (found.rows.every(({ failure }) => failure !== null)) break;
    found = await look();
  }
  const byId = new Map(found.rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row?.state !== 'stored' && REFUSALS.test(row?.failure ?? '') ? undefined : JSON.stringify(row);
  });
};

/** That the listener would see it: with private networks open it is reached, by whatever name. */
const unseen = async (listener: { port: number; connections: () => number }): Promise<readonly string[]> => {
  const transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-chaos' });
  const missed: string[] = [];
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:7f00:1]', 'localhost']) {
    const before = listener.connections();
    const request = {
      method: 'GET',
      url: `http://${host}:${listener.port}/`,
      headers: {},
      freshConnection: true,
    } as const;
    await transport.send(request, { timeoutMs: 5_000, maxBytes: 1_000 });
    if (listener.connections() === before) missed.push(host);
  }
  transport.close();
  return missed;
};

const run = async ({ dose, seed, backend, signal, log }: ScenarioContext) => {
  const listener = await openListener();
  const whole = corpusAt(listener.port);
  const urls = whole.filter((_, index) => (index + seed) % EVERY[dose] === 0);
  const table = Object.fromEntries(Object.entries(names).map(([name, addresses]) => [name, [addresses]]));
  const violations: string[] = [];
  const house = await openHouse({
    violations,
    profiles: profilesFor(urls),
    backend,
    env: {
      ALLOW_PRIVATE_NETWORKS: 'false',
      RATE_LIMIT: '0',
      CREATE_WAIT_MS: '2000',
      NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, '../preload/names.ts')).href}`,
      CHAOS_NAMES: JSON.stringify({ ...table, 'rebinding.example': [['10.0.0.1'], ['127.0.0.1'], ['::1']] }),
    },
  });
  try {
    log('the server is ready');
    const carriers = (await house.loadedCarriers()).filter((code) => code !== 'contract');
    const shop = await house.openShop(carriers, {});
    const attempts: Attempt[] = [];
    const attempt = async (how: string, url: string, trying: Promise<string | undefined>): Promise<void> => {
      attempts.push({ how, url, wrong: await trying });
    };
    const tryAll = async (number: number, url: string): Promise<void> => {
      await attempt('carrier', url, dispatchTo(house, shop, `to${number}`, url));
      await attempt('token URL', url, dispatchTo(house, shop, `token${number}`, url));
      await attempt('URL that a carrier gave', url, dispatchTo(house, shop, 'given', url));
      await attempt('webhook', url, subscribeTo(house, shop, url));
    };
    const left = [...urls.entries()];
    const takeTurns = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined && !signal.aborted; next = left.shift()) await tryAll(...next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    if (signal.aborted) throw signal.reason;
    log(`${attempts.length} attempts; now the labels`);
    for (const [index, wrong] of (await fetchLabelsFrom(house, urls)).entries())
      attempts.push({ how: 'label', url: urls[index] ?? '', wrong });
    // What was put off or tried again would still come.
    await sleep(dose === 'small' ? 500 : 5_000);
    const connections = listener.connections();
    log(`${attempts.length} attempts, ${connections} connections`);
    for (const { how, url, wrong } of attempts)
      if (wrong !== undefined) violations.push(`${how} ${JSON.stringify(url)} was not refused: ${wrong}`);
    if (connections > 0) violations.push(`${connections} connections were made`);
    if (whole.length < 60) violations.push(`the corpus has only ${whole.length} URLs`);
    for (const host of await unseen(listener)) violations.push(`the listener does not see who comes to ${host}`);
    return {
      figures: {
        'URLs of the corpus': `${urls.length} of ${whole.length}`,
        'attempts (carrier, token, given, webhook, label)': attempts.length,
        'profiles that loaded': carriers.length,
        connections,
      },
      violations,
    };
  } finally {
    await house.close();
    await listener.close();
  }
};

export const forbiddenAddresses: Scenario = {
  name: 'forbidden-addresses',
  promise: 'no URL of a profile, a carrier or a shipper makes us connect to an address that is not public',
  limitMinutes: { small: 10, quick: 15 },
  run,
};
