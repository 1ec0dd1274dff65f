import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { parse } from 'yaml';
import type { LabelFormat } from '../engine/consignment/consignment.ts';
import { messageOf } from '../engine/failure.ts';
import type { Choice, ChoiceContext, Considered } from '../engine/policy/choice.ts';
import { choose } from '../engine/policy/choose.ts';
import type { Carrier, EnvironmentName } from '../engine/profile/carrier.ts';
import { USER_AGENT } from '../engine/transport/transport.ts';
import { isInstant } from '../engine/profile/language/kinds.ts';
import { policyNames } from '../engine/profile/policies.ts';
import { didYouMean } from '../engine/mapping/closest.ts';
import { findFile } from '../engine/profile/home-files.ts';
import { tryPolicy } from '../workbench/policies/open.ts';
import { orderOf } from '../workbench/policies/order.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { homeOf, homesOf, printFindings } from './home.ts';

interface Options extends JsonOption {
  readonly consignment: string;
  readonly service?: string;
  readonly labelFormat?: LabelFormat;
  readonly at?: string;
  readonly away?: readonly string[];
  readonly shipper?: string;
  readonly environment: EnvironmentName;
  readonly ask?: true;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Says which carrier a consignment goes with by a policy, and of every carrier why it is taken or not. Nothing is ' +
        'dispatched. Prices and days are those of tariffs; carriers that give prices themselves are asked with --ask.',
    )
    .argument('<policy>', 'file in carriers/policies/, without .yaml')
    .requiredOption('--consignment <file>', 'YAML or JSON: the body of a create, or a consignment of the contract')
    .option(
      '--service <word>',
      'the shipper’s wish: a service, a type of service, or AUTO; default: what the order says',
    )
    .addOption(new Option('--label-format <format>', 'the shipper’s wish').choices(['PDF', 'ZPL', 'PNG']))
    .option('--at <instant>', 'when it is chosen; default: now')
    .option('--away <carrier...>', 'carriers that fail at the moment')
    .option('--shipper <code>', 'only carriers with which this shipper has an account; default: all')
    .addOption(new Option('--environment <name>').choices(['production', 'sandbox']).default('production'))
    .option('--ask', 'ask carriers for prices, with the accounts of --shipper')
    .option(...JSON_OPTION);
  act(command, async (name: string, options: Options) => {
    const { service, labelFormat, at, away = [], ask, shipper } = options;
    if (ask === true && shipper === undefined)
      throw new Misuse('--ask needs --shipper <code>, whose accounts are used');
    if (at !== undefined && !isInstant(at))
      throw new Misuse(`--at is an instant like 2026-05-01T09:00:00Z, not "${at}"`);
    const known = policyNames(homesOf(terminal));
    if (!known.includes(name)) {
      const help = didYouMean(name, known) ?? 'policies are the files in carriers/policies/';
      throw new Misuse(`there is no policy "${name}" in ${homeOf(terminal)}: ${help}`);
    }
    const { opened, findings } = tryPolicy(name, homesOf(terminal));
    if (opened === undefined) {
      printFindings(findings, terminal);
      return EXIT.findings;
    }
    const { policy, carriers } = opened;
    const order = orderOf(readOrderFile(options.consignment, terminal));
    const accounts = shipper === undefined ? undefined : await openAccounts(carriers, shipper, options, terminal);
    try {
      const choice = await choose(
        policy,
        order.consignment,
        carriers.map((carrier) => ({
          carrier,
          hasAccount: accounts?.has(carrier) ?? true,
          openBreaker: away.includes(carrier.code),
        })),
        {
          nowMs: at === undefined ? Date.now() : Date.parse(at),
          serviceType: service ?? order.serviceType,
          labelFormat: labelFormat ?? order.labelFormat,
          ...(accounts && ask === true && { quote: accounts.quoteFor(order.consignment) }),
        },
      );
      const [first] = choice.considered;
      print(terminal, options, { ok: first?.rank === 1, ...choice }, () => textOf(choice));
      return first?.rank === 1 ? EXIT.good : EXIT.findings;
    } finally {
      await accounts?.close();
    }
  });
};

const SIZE_MAX = 5_000_000;

const readOrderFile = (file: string, { cwd }: Terminal): unknown => {
  const path = resolve(cwd, file);
  const found = findFile(path);
  if (found?.isFile() !== true) throw new Misuse(`there is no file "${file}"`);
  if (found.size > SIZE_MAX) throw new Misuse(`${file} is larger than ${SIZE_MAX} bytes`);
  try {
    return parse(readFileSync(path, 'utf8'), { logLevel: 'error', maxAliasCount: 0 });
  } catch (thrown) {
    throw new Misuse(`${file} is neither YAML nor JSON: ${messageOf(thrown)}`);
  }
};

/** A shipper's accounts with these carriers. */
const openAccounts = async (
  carriers: readonly Carrier[],
  shipperCode: string,
  { environment, ask }: Options,
  terminal: Terminal,
) => {
  const { findAccountOf, auditAccountUse, openRecordsOf, requireShipper, sealerOf, transportOf } =
    await import('./records.ts');
  const { quote } = await import('../engine/rates/quote.ts');
  const { portsOnce } = await import('../workbench/engine-run.ts');
  const sealer = await sealerOf(terminal);
  const records = await openRecordsOf(terminal);
  const transport = transportOf(terminal, USER_AGENT);
  const close = async (): Promise<void> => {
    transport.close();
    await records.close();
  };
  try {
    const shipper = await requireShipper(records.pool, shipperCode);
    const found = new Map<Carrier, NonNullable<Awaited<ReturnType<typeof findAccountOf>>>>();
    for (const carrier of carriers) {
      const whose = { shipper, carrier: carrier.code, environment };
      const account = await findAccountOf(records.pool, sealer, whose);
      if (account === undefined) continue;
      found.set(carrier, account);
      if (ask === true && carrier.operations.rates !== undefined)
        await auditAccountUse(records.pool, 'choose', account, whose);
    }
    const quoteFor =
      (consignment: object): ChoiceContext['quote'] =>
      async (carrier, service) => {
        const account = found.get(carrier);
        if (account === undefined) throw new Misuse(`${shipperCode} has no account with ${carrier.code}`);
        const asking = { environment, seed: crypto.randomUUID(), nowMs: Date.now(), ports: portsOnce(transport.send) };
        return await quote(carrier, account, { ...consignment, carrierCode: carrier.code }, { ...asking, service });
      };
    return { has: (carrier: Carrier) => found.has(carrier), quoteFor, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
};

const textOf = ({ policy, rule, considered }: Choice): string => {
  const lines = considered.map((one) => `${markOf(one)} ${nameOf(one)}${whyOf(one)}\n`);
  const taken = considered[0]?.rank === 1 ? '' : 'no carrier is left\n';
  return `${policy}: ${rule === undefined ? 'no rule is for this order' : `by ${rule}`}\n${lines.join('')}${taken}`;
};

const markOf = ({ rank }: Considered): string => (rank === undefined ? '  –' : `${rank}.`.padStart(3));
const nameOf = ({ carrier, service }: Considered): string =>
  service === undefined ? carrier : `${carrier} ${service}`;

const whyOf = ({ offer, score, unpriced, excluded }: Considered): string => {
  if (excluded !== undefined) return `: ${excluded.reason} (${excluded.code})`;
  const said = [
    ...(offer === undefined ? [] : [`${offer.total.toFixed(2)} ${offer.currency}`]),
    ...(offer?.deliveryTo === undefined ? [] : [`by ${offer.deliveryTo}`]),
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(unpriced === undefined ? [] : [`${unpriced.reason} (${unpriced.code})`]),
  ];
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
};
