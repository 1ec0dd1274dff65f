/** Every spelling of an address that is not ours to call, wherever a URL can come from: no connection is made. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newLabel } from '../../engine/labels/labels.ts';
import { literalHosts, metadataHosts, names, trickUrls } from '../../engine/transport/ssrf-corpus.ts';
import { openListener, unseen } from '../hostile/listener.ts';
import { orderTo } from '../order.ts';
import type { Dose } from '../scenario.ts';
import { inTurns, lookUntil } from '../world/call.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

/** Every so manieth row of the corpus. */
const EVERY: Readonly<Record<Dose, number>> = { small: 8, quick: 2, full: 1 };

const AT_ONCE = 8;
const ENDED_WITHIN_MS = 60_000;
/** Of the profiles: the others hold a URL that is refused as it is read. */
const LOADED_LEAST = 0.75;

/** A name that answers with each in turn; the first is open to its carrier, as long as it is the one that was checked. */
const TURNING = { name: 'turning.example', open: '127.0.0.2', closed: '127.0.0.1', tries: 4 } as const;

const corpusAt = (port: number): readonly string[] => [
  ...[...literalHosts, ...metadataHosts].map(([, host]) => `https://${host}:${port}/`),
  ...Object.keys(names).map((name) => `https://${name}:${port}/`),
  `https://rebinding.example:${port}/`,
  ...['127.0.0.1', '2130706433', '[::1]', '169.254.169.254', 'localhost'].map((host) => `http://${host}:${port}/`),
  ...trickUrls(port),
];

const quoted = (text: string): string => JSON.stringify(text);

const tokenFrom = (url: string): string =>
  `auth: { oauth2: { grant: client_credentials, tokenUrl: ${quoted(url)}, clientId: example, clientSecret: example, clientAuth: body } }\n`;
const CARRIER = 'https://carrier.example';

/** What speaks to this URL itself, and what asks there for a token. */
const profilesFor = (urls: readonly string[], port: number): Record<string, string> => ({
  ...Object.fromEntries(urls.map((url, number) => [`to${number}`, contractProfile(`to${number}`, url)])),
  ...Object.fromEntries(
    urls.map((url, number) => [`token${number}`, contractProfile(`token${number}`, CARRIER, tokenFrom(url))]),
  ),
  turning: contractProfile('turning', `https://${TURNING.name}:${port}`, 'retry: { attempts: 1, until: 0s }\n'),
  given: contractProfile('given', CARRIER, "operations: { create: { post: '${consignment.deliveryInstructions}' } }\n"),
});

/** What the guard of the way out says, or the reader of URLs before it. */
const REFUSALS =
  /address_forbidden|plain_http_forbidden|url_invalid|url_not_absolute|host_not_declared|host_pattern_invalid|request_invalid/;

interface Attempt {
  readonly how: string;
  readonly url: string;
  /** Undefined: it was refused for what it is. */
  readonly wrong: string | undefined;
}

/** What the URLs are tried on. */
interface Target {
  readonly platform: Platform;
  readonly shop: string;
  readonly profiles: Readonly<Record<string, string>>;
  readonly loaded: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  readonly endedWithinMs: number;
}

/** As the server tells what keeps a profile from loading. */
interface Finding {
  readonly severity: string;
  readonly place: { readonly file: string; readonly line: number };
}

/** Whether it is the line with the URL that kept the profile from loading, and no other. */
const isForItsUrl = ({ profiles, findings }: Target, carrier: string, url: string): boolean => {
  const lines = (profiles[carrier] ?? '').split('\n');
  const own = findings.filter(({ severity, place }) => severity === 'error' && place.file.endsWith(`/${carrier}.yaml`));
  return own.length > 0 && own.every(({ place }) => lines[place.line - 1]?.includes(quoted(url)));
};

interface Ended {
  readonly status: number;
  readonly state: string | undefined;
  readonly failure: string | null;
}

const dispatchBy = async ({ platform, shop, endedWithinMs }: Target, carrier: string, url: string): Promise<Ended> => {
  const reference = `${carrier}-${randomUUID()}`;
  const order = orderTo(carrier, reference);
  if (carrier === 'given') Object.assign(order['consignmentDetails'] as object, { deliveryInstructions: url });
  const { status } = await platform.call('POST', '/v2/consignments', shop, order);
  const [ended] = await lookUntil(
    endedWithinMs,
    async () => await platform.dispatches(reference),
    (found) => !found.some(({ state }) => state === 'pending' || state === 'sending'),
  );
  return { status, state: ended?.state, failure: ended?.failure ?? null };
};

const dispatchTo = async (target: Target, carrier: string, url: string): Promise<string | undefined> => {
  const ended = await dispatchBy(target, carrier, url);
  const isRefused = target.loaded.has(carrier)
    ? ended.status === 200 && ended.state !== 'done' && REFUSALS.test(ended.failure ?? '')
    : ended.status === 422 && isForItsUrl(target, carrier, url);
  return isRefused ? undefined : JSON.stringify(ended);
};

/** By turns it is called at the address that was checked, and refused; never is it called at the other. */
const tryTurning = async (target: Target, cameTo: readonly string[]): Promise<readonly string[]> => {
  const ends: Ended[] = [];
  while (ends.length < TURNING.tries) ends.push(await dispatchBy(target, 'turning', ''));
  const refused = ends.filter(({ failure }) => failure?.includes('address_forbidden')).length;
  const called = cameTo.filter((address) => address === TURNING.open).length;
  return called + refused === TURNING.tries && called > 0 && refused > 0
    ? []
    : [`${TURNING.name} was called ${called} times and refused ${refused} times: ${JSON.stringify(ends)}`];
};

const subscribeTo = async ({ platform, shop }: Target, url: string): Promise<string | undefined> => {
  const reply = await platform.call('POST', '/v2/webhooks', shop, { url, orderTypes: ['FORWARD'] });
  if (reply.status === 400) return undefined;
  const { id } = reply.json as { id: string };
  const tested = await platform.call('POST', `/v2/webhooks/${id}/test`, shop);
  await platform.call('DELETE', `/v2/webhooks/${id}`, shop);
  return REFUSALS.test(tested.text) ? undefined : `${tested.status} ${tested.text}`;
};

/** Has the workers fetch labels from all of them; yields what is wrong with each. */
const fetchLabelsFrom = async (
  { platform, endedWithinMs }: Target,
  urls: readonly string[],
): Promise<readonly (string | undefined)[]> => {
  const { rows } = await platform.pool.query<{ id: number }>('select id from consignments order by id limit 1');
  const ids: string[] = [];
  for (const sourceUrl of urls) {
    const id = await newLabel(platform.pool, rows[0]?.id ?? 0, { position: null, sourceUrl, dueAtMs: Date.now() });
    ids.push(id);
  }
  const look = async () => {
    const sql = 'select id, state, failure_code as code from labels where id = any ($1)';
    return (await platform.pool.query<{ id: string; state: string; code: string | null }>(sql, [ids])).rows;
  };
  const found = await lookUntil(endedWithinMs, look, (labels) => labels.every(({ code }) => code !== null));
  const byId = new Map(found.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row?.state !== 'stored' && REFUSALS.test(row?.code ?? '') ? undefined : JSON.stringify(row);
  });
};

const act = async (trial: Trial): Promise<void> => {
  const { dose, seed, patience, signal, log, violations } = trial;
  const listener = trial.use(await openListener());
  const whole = corpusAt(listener.port);
  const urls = whole.filter((_, index) => (index + seed) % EVERY[dose] === 0);
  const profiles = profilesFor(urls, listener.port);
  const answers = {
    ...Object.fromEntries(Object.entries(names).map(([name, addresses]) => [name, [addresses]])),
    // What a URL without a host of its own is read against.
    'carrier.example': [['127.0.0.1']],
    'rebinding.example': [['10.0.0.1'], ['127.0.0.1'], ['::1']],
    [TURNING.name]: [[TURNING.open], [TURNING.closed]],
  };
  const platform = await trial.open({
    profiles,
    preload: 'names.ts',
    env: {
      ALLOW_PRIVATE_NETWORKS: 'false',
      CREATE_WAIT_MS: '2000',
      PRIVATE_NETWORKS: `turning=${TURNING.open}/32`,
      CHAOS_NAMES: JSON.stringify(answers),
    },
  });
  log('the server is ready');
  const { json } = await platform.call('GET', '/admin/carriers', platform.adminToken);
  const { findings, ...rest } = json as { findings: readonly Finding[]; carriers: readonly { code: string }[] };
  const carriers = rest.carriers.map(({ code }) => code).filter((code) => profiles[code] !== undefined);
  const shop = await platform.openShop({ carriers });
  const loaded = new Set(carriers);
  const target: Target = { platform, shop, profiles, loaded, findings, endedWithinMs: ENDED_WITHIN_MS * patience };
  if (!loaded.has('given') || loaded.size < LOADED_LEAST * Object.keys(profiles).length)
    violations.push(`only ${loaded.size} profiles loaded of ${Object.keys(profiles).length}`);
  const attempts: Attempt[] = [];
  const attempt = async (how: string, url: string, trying: Promise<string | undefined>): Promise<void> => {
    attempts.push({ how, url, wrong: await trying });
  };
  await inTurns(AT_ONCE, urls.entries(), async ([number, url]) => {
    signal.throwIfAborted();
    await attempt('carrier', url, dispatchTo(target, `to${number}`, url));
    await attempt('token URL', url, dispatchTo(target, `token${number}`, url));
    await attempt('URL that a carrier gave', url, dispatchTo(target, 'given', url));
    await attempt('webhook', url, subscribeTo(target, url));
  });
  log(`${attempts.length} attempts; now the labels`);
  for (const [index, wrong] of (await fetchLabelsFrom(target, urls)).entries())
    attempts.push({ how: 'label', url: urls[index] ?? '', wrong });
  // What was put off or tried again would still come.
  await sleep(dose === 'small' ? 500 : 5_000);
  violations.push(...(await tryTurning(target, listener.cameTo)));
  const wrongly = listener.cameTo.filter((address) => address !== TURNING.open);
  const called = listener.cameTo.length - wrongly.length;
  log(`${attempts.length} attempts, ${wrongly.length} connections`);
  for (const { how, url, wrong } of attempts)
    if (wrong !== undefined) violations.push(`${how} ${JSON.stringify(url)} was not refused: ${wrong}`);
  if (wrongly.length > 0) violations.push(`${wrongly.length} connections were made, to ${wrongly.join()}`);
  if (whole.length < 60) violations.push(`the corpus has only ${whole.length} URLs`);
  for (const host of await unseen(listener)) violations.push(`the listener does not see who comes to ${host}`);
  Object.assign(trial.figures, {
    'URLs of the corpus': `${urls.length} of ${whole.length}`,
    'attempts (carrier, token, given, webhook, label)': attempts.length,
    'profiles that loaded': `${loaded.size} of ${Object.keys(profiles).length}`,
    'connections, but those to the open address of a name that turns': wrongly.length,
    'connections to that one': called,
  });
};

export const forbiddenAddresses = trialRow(
  {
    name: 'forbidden-addresses',
    promise: 'no URL of a profile, a carrier or a shipper makes us connect to an address that is not public',
  },
  act,
);
