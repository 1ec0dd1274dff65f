// `npm run demo`: the whole journey of three carriers against the bundled simulator, then a day of a shop and one of the
// own fleet; `-- --all` of every carrier, `-- --carrier <code>` of one. Exit 0 when every promised result was seen. `--transcript <file>` writes down what went
// over the wire, to compare it with another run's.
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { simulate } from './simulated.ts';
import { DEMO_CARRIERS, type DemoCarrier } from './carriers.ts';
import { makeHome, textOfProfile } from './home.ts';
import { travel } from './journey.ts';
import { keepShop, shopProfiles, startShopCarriers } from './outsourced.ts';
import { driveDay, fleetProfiles } from './own-fleet.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Platform, startPlatform } from './server.ts';
import { createStory, type Story } from './story.ts';
import { createTranscript } from './transcript.ts';

const LIMIT_MS = 240_000;

const SHORT = ['plain', 'dhl_express', 'seko'];

const { values } = parseArgs({
  options: {
    all: { type: 'boolean' },
    carrier: { type: 'string', multiple: true },
    transcript: { type: 'string' },
  },
});

function chosen(): readonly DemoCarrier[] {
  if (values.all === true) return DEMO_CARRIERS;
  const codes = values.carrier ?? SHORT;
  const unknown = codes.filter((code) => !DEMO_CARRIERS.some((carrier) => carrier.code === code));
  if (unknown.length > 0) throw new Error(`the demo knows no carrier ${unknown.join(', ')}`);
  return DEMO_CARRIERS.filter(({ code }) => codes.includes(code));
}

async function demo(): Promise<number> {
  const carriers = chosen();
  const story = createStory((line) => process.stdout.write(`${line}\n`));
  const transcript = createTranscript();
  // Its clock stands, so that its numbers and times are those of every run of the day.
  const todayMs = Date.parse(new Date().toISOString().slice(0, 10));
  const simulator = await simulate(
    carriers.map(({ code }) => code),
    () => todayMs,
  );
  story.tell(`carriers simulated at ${simulator.url}`);
  const shopCarriers = await startShopCarriers();
  const home = await makeHome(simulator.carriers, values.transcript !== undefined, {
    ...shopProfiles(shopCarriers.url),
    ...fleetProfiles(await textOfProfile('own_fleet')),
  });
  const receiver = await startReceiver();
  const platform = transcript.follow(await startPlatform(home, {}));
  try {
    story.tell(
      `platform at ${platform.url}, queue on ${process.env['REDIS_URL'] === undefined ? 'its own PostgreSQL' : 'Redis'}`,
    );
    const shipper = await platform.call('POST', '/admin/shippers', platform.adminToken, {
      code: 'demo',
      name: 'Demo Shop',
    });
    const shipperToken = String(shipper.body['token']);
    story.check('shipper created', shipper.status === 200 || shipper.status === 201, shipper.body);
    const subscribed = await platform.call('POST', '/v2/webhooks', shipperToken, {
      url: receiver.url,
      orderTypes: ['FORWARD', 'REVERSE'],
    });
    receiver.trust(String(subscribed.body['secret']));
    story.check('webhook subscribed', subscribed.status < 300, { status: subscribed.status });
    const secrets: Record<string, string> = {};
    for (const { code, statuses } of carriers) {
      if (statuses !== 'push') continue;
      const token = await platform.call('POST', `/admin/carriers/${code}/tokens`, platform.adminToken, {});
      secrets[code] = String(token.body['token']);
    }
    simulator.pushTo({ url: platform.url, secrets });
    for (const carrier of carriers) {
      await travel({ platform, simulator, receiver, shipperToken, story }, carrier);
      transcript.close(carrier.code, simulator, receiver);
    }
    if (values.transcript !== undefined) await transcript.write(values.transcript);
    // What it sends is of this run alone: no transcript has it.
    if (values.carrier === undefined) {
      await visitShop(platform, shipperToken, story);
      await visitFleet(platform, shipperToken, receiver, story);
    }
  } finally {
    await platform.stop();
    await receiver.close();
    await simulator.close();
    await shopCarriers.close();
    await rm(home, { recursive: true, force: true });
  }
  const { failures } = story;
  story.tell(`\n${story.checks() - failures.length} of ${story.checks()} promises held`);
  for (const failure of failures) story.tell(`✗ ${failure}`);
  return failures.length === 0 ? 0 : 1;
}

async function visitShop(platform: Platform, token: string, story: Story): Promise<void> {
  story.chapter('a shop, from the checkout to the handover');
  for (const carrier of ['strict', 'kind'])
    await platform.call('PUT', '/admin/accounts', platform.adminToken, { shipper: 'demo', carrier });
  await keepShop({
    call: async (method, path, body) => await platform.call(method, path, token, body),
    readLabel: barcodesOf,
    story,
  });
}

async function visitFleet(
  { call, adminToken }: Platform,
  token: string,
  receiver: Receiver,
  story: Story,
): Promise<void> {
  story.chapter('the own fleet, from the orders to the webhooks');
  await driveDay({
    asAdmin: async (method, path, body) => await call(method, path, adminToken, body),
    asShop: async (method, path, body) => await call(method, path, token, body),
    asDriver: async (driver, method, path, body) => await call(method, path, driver, body),
    openAccount: async (carrier, credentials) =>
      await call('PUT', '/admin/accounts', adminToken, { shipper: 'demo', carrier, credentials }),
    download: async (at) => {
      if (at.startsWith('/')) return (await call('GET', at, adminToken)).bytes;
      return Buffer.from(await (await fetch(at)).arrayBuffer());
    },
    readLabel: async (bytes, format) => (format === 'ZPL' ? barcodesOf(bytes.toString()) : undefined),
    readText: async () => undefined,
    received: receiver.received,
    story,
  });
  story.check('no webhook had a wrong signature', receiver.forged() === 0, receiver.forged());
}

const barcodesOf = (zpl: string): readonly string[] =>
  [...zpl.matchAll(/\^BC[^^]*\^FH\^FD([^^]*)\^FS/g)].map(([, text = '']) => text);

const limit = setTimeout(() => {
  process.stderr.write(`the demo did not end within ${LIMIT_MS / 1_000} s\n`);
  process.exit(1);
}, LIMIT_MS);
process.exitCode = await demo();
clearTimeout(limit);
