import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { parseDuration } from '../engine/duration.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { plainLine } from '../engine/text.ts';
import { createTransport } from '../engine/transport/transport.ts';
import { type AuthName, AUTHS, certifiedCarrier } from '../workbench/certify/carrier.ts';
import { certify } from '../workbench/certify/certify.ts';
import { numbersOf } from '../workbench/certify/evidence.ts';
import { openInbox } from './certify-inbox.ts';
import { jsonCertified, showCertified } from './certify-report.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { transportOf } from './records.ts';

interface Options extends JsonOption {
  readonly auth: AuthName;
  readonly authHeader: string;
  readonly username?: string;
  readonly carrier: string;
  readonly status: Readonly<Record<string, string>>;
  readonly pushes: boolean;
  readonly pushPort: string;
  readonly pushUrl?: string;
  readonly wait: string;
}

const USER_AGENT = 'waybill-certify';
const POLL_MS = 1_000;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Tries an endpoint that a carrier built by the carrier contract against every statement of it, labels and status ' +
        'pushes among them. It makes shipments, and cancels them at the end: use it on a test system.',
    )
    .argument('<url>', 'URL that consignments are posted to')
    .addOption(new Option('--auth <way>', 'how requests are authenticated').choices(AUTHS).default('bearer'))
    .option('--auth-header <name>', 'header of an API key', 'X-Api-Key')
    .option('--username <name>', 'user name of Basic authentication')
    .option('--carrier <code>', 'carrierCode that the endpoint is sent', 'certify')
    .option('--status <code=status>', 'what a status code of the carrier’s own means; repeatable', addStatus, {})
    .option('--no-pushes', 'do not wait for status pushes')
    .option('--push-port <port>', 'port of this machine to listen to for pushes; default: a free one', '0')
    .option('--push-url <url>', 'public URL that leads there, as that of a tunnel')
    .option('--wait <duration>', 'how long to wait for pushes, and for labels that come late', '10m')
    .option(...JSON_OPTION);
  act(command, async (url: string, options: Options) => await certifyUrl(url, options, terminal));
};

const addStatus = (text: string, before: Options['status']): Options['status'] => {
  const [, code = '', status = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (code === '') throw new Misuse(`--status ${text} must be a code and its status, as COLLECTED="Order Picked Up"`);
  return { ...before, [code]: status };
};

const certifyUrl = async (url: string, options: Options, terminal: Terminal): Promise<number> => {
  const { auth, authHeader: header, carrier: code, status: statuses, pushPort } = options;
  const waitMs = parseDuration(options.wait);
  if (waitMs === undefined) throw new Misuse(`--wait ${options.wait} must be a duration, as 10m`);
  if (!/^\d{1,5}$/.test(pushPort)) throw new Misuse(`--push-port ${pushPort} must be a port`);
  const endpoint = { url, code, auth, header, credentials: await credentialsOf(options, terminal), statuses };
  const { carrier, account } = certifiedCarrier(endpoint, directoryFiles(terminal.packageRoot));
  const token = terminal.env['WAYBILL_CERTIFY_PUSH_TOKEN'] || `wb_certify_${randomBytes(24).toString('hex')}`;
  const path = `/v2/carriers/${code}/statuses`;
  const inbox = options.pushes ? await openInbox(Number(pushPort), path, token) : undefined;
  // Only what was typed may be on a private network: where labels are, the endpoint says.
  const typed = createTransport({ userAgent: USER_AGENT, allowPrivateNetworks: true });
  const others = transportOf(terminal, USER_AGENT);
  const { origin } = new URL(url);
  const abort = new AbortController();
  terminal.onInterrupt(() => abort.abort());
  try {
    if (inbox !== undefined) {
      const pushUrl = `${(options.pushUrl ?? inbox.url).replace(/\/+$/, '')}${path}`;
      terminal.error(`Push statuses to ${pushUrl}\nwith the header Authorization: Bearer ${token}\n`);
      if (options.json !== true) await terminal.ask?.('Press Enter when the endpoint knows both: ');
    }
    const certified = await certify({
      url,
      carrier,
      account,
      isProven: auth !== 'none',
      runId: `WB${randomBytes(4).toString('hex').toUpperCase()}`,
      send: async (request, limits) =>
        await (URL.parse(request.url)?.origin === origin ? typed : others).send(request, limits),
      pushes: inbox && (() => inbox.pushes),
      waitMs,
      pollMs: POLL_MS,
      nowMs: Date.now,
      sleep: async (ms) => await sleep(ms, undefined, { signal: abort.signal }).catch(() => {}),
      signal: abort.signal,
      onWaiting: (shipments) => {
        const [one, other = one] = shipments.map((tried) => plainLine(numbersOf(tried).join(', ')));
        terminal.error(
          `Now deliver ${one}; let ${other} fail, and return it. Waiting ${options.wait}; Ctrl-C ends it.\n`,
        );
      },
    });
    print(terminal, options, jsonCertified(url, code, certified), () => showCertified(certified));
    return abort.signal.aborted ? EXIT.interrupted : certified.isOk ? EXIT.good : EXIT.findings;
  } finally {
    typed.close();
    others.close();
    await inbox?.close();
  }
};

/** Never from an option: those are in the history of shells, and in the list of processes. */
const credentialsOf = async ({ auth, username }: Options, { env, ask }: Terminal): Promise<Record<string, string>> => {
  if (auth === 'none') return {};
  const secret = env['WAYBILL_CERTIFY_SECRET'] || (await ask?.('Token, API key or password: ')) || '';
  if (secret === '')
    throw new Misuse('set WAYBILL_CERTIFY_SECRET to the token, API key or password, or say --auth none');
  if (auth !== 'basic') return { secret };
  if (username === undefined) throw new Misuse('--auth basic needs --username <name>');
  return { username, secret };
};
