import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { plainLine } from '../engine/text.ts';
import type { RecordedStory } from '../workbench/replay/recorded-story.ts';
import type { Recording } from '../workbench/replay/record-case.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, Misuse, type Terminal, writeJson } from './command.ts';
import type { CarriersOfHome } from './carriers.ts';
import { homeOf } from './home.ts';
import { writeAll } from '../workbench/write-files.ts';

interface Options {
  readonly dispatch?: string;
  readonly carrier?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly against?: 'sandbox';
  readonly shipper?: string;
  readonly case?: string;
  readonly keepPeople?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** A story to be written, and whose account it was. */
interface Told {
  readonly at: string;
  readonly name: string;
  readonly story: RecordedStory;
  readonly account: Recording['account'];
}

export const addRecord: AddCommand = (program, terminal, ran) => {
  program
    .command('record')
    .summary('write what happened as cases')
    .description(
      'Writes cases of what a server recorded, or of one consignment that it sends to a sandbox. A case is written only ' +
        'when it passes. Secrets become the profile’s examples, people invented ones.',
    )
    .option('--dispatch <id>', 'that dispatch')
    .option(
      '--carrier <code>',
      'dispatches of that carrier, the oldest first; with --against sandbox, whose case it is',
    )
    .option('--since <time>', 'not those before: 7d ago, or a date')
    .option('--limit <number>', `dispatches at most, ${LIMIT} unless said`)
    .addOption(new Option('--against <what>', 'asks the carrier now').choices(['sandbox']))
    .option('--shipper <code>', 'whose sandbox account is used, with --against sandbox')
    .option('--case <case>', 'whose consignment is sent, with --against sandbox')
    .option('--keep-people', 'leaves names, addresses and numbers of people as they are')
    .option('--force', 'writes over cases that are there')
    .option('--json', 'one JSON object instead of text')
    .action(async (options: Options) => {
      terminal.endOnInterrupt();
      ran(await record(options, terminal));
    });
};

const LIMIT = 20;

const record = async (options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { Failure } = await import('../engine/failure.ts');
  const { recordCase } = await import('../workbench/replay/record-case.ts');
  const { findingsOfLoading, openCarriers } = await import('./carriers.ts');
  checkTogether(options);
  const home = homeOf(terminal);
  const carriers = openCarriers(terminal, options.carrier);
  const files = directoryCaseFiles(home);
  const all: Record<string, string | Buffer> = {};
  const recorded: { at: string; carrier: string; case: string; files: readonly string[] }[] = [];
  const skipped: { at: string; case: string; why: string }[] = [];

  const add = async ({ at, name, story, account }: Told): Promise<void> => {
    const file = `fixtures/${story.carrierCode}/${name}.yaml`;
    try {
      const carrier = carriers.find(story.carrierCode);
      const keepPeople = options.keepPeople === true;
      const made = await recordCase(story, { carrier, files, name, account, keepPeople });
      const taken =
        made.ok && options.force !== true
          ? Object.keys(made.files).find((path) => existsSync(join(home, path)))
          : undefined;
      if (!made.ok) skipped.push({ at, case: file, why: made.why });
      else if (taken !== undefined)
        skipped.push({ at, case: file, why: `there is ${taken} already: --force writes over it` });
      else {
        Object.assign(all, made.files);
        recorded.push({ at, carrier: carrier.code, case: file, files: Object.keys(made.files) });
      }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      skipped.push({ at, case: file, why: thrown.message });
    }
  };
  const stories =
    options.against === undefined ? recordedStories(options, terminal) : sentStory(options, carriers, terminal);
  for await (const told of stories) await add(told);
  findingsOfLoading(carriers, terminal);
  writeAll(home, all);

  const ok = recorded.length > 0 && skipped.length === 0;
  if (options.json === true) writeJson(terminal, { ok, recorded, skipped });
  else {
    for (const one of recorded) for (const file of one.files) terminal.out(`written: ${file}\n`);
    for (const { at, why } of skipped) terminal.error(`${at}: not written: ${plainLine(why)}\n`);
    if (recorded.length + skipped.length === 0) terminal.error('nothing is recorded that could be written\n');
  }
  return ok ? GOOD : FINDINGS;
};

const checkTogether = ({ dispatch, carrier, against, shipper, case: name, since, limit }: Options): void => {
  if (against === undefined) {
    if (shipper !== undefined || name !== undefined) throw new Misuse('--shipper and --case are for --against sandbox');
    if (dispatch === undefined && carrier === undefined) throw new Misuse('say --dispatch <id> or --carrier <code>');
    if (dispatch !== undefined && !/^[1-9]\d{0,14}$/.test(dispatch)) throw new Misuse('--dispatch takes the id of one');
  } else {
    if (carrier === undefined || name === undefined) throw new Misuse('--against sandbox needs --carrier and --case');
    if ([dispatch, since, limit].some((given) => given !== undefined)) {
      throw new Misuse('--dispatch, --since and --limit are not for --against sandbox');
    }
  }
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) throw new Misuse('--limit must be a whole number from 1');
};

// What a server recorded ---------------------------------------------------------------------------------------------

async function* recordedStories(options: Options, terminal: Terminal): AsyncGenerator<Told> {
  const { dispatch, carrier, since, limit = LIMIT } = options;
  const { parseQuery } = await import('../workbench/replay/query.ts');
  const { readDispatches } = await import('../platform/records/recorded-traffic.ts');
  const { findAccountById } = await import('../platform/records/accounts.ts');
  const { openRecordsOf, sealerOf } = await import('./records.ts');
  const terms = Object.entries({ dispatch, carrier, since, limit }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  const query = parseQuery(`dispatches:${terms.join(' ')}`, Date.now());
  if (query === undefined) return;
  // Whose values an answer repeats is not to be guessed: they are looked up.
  const sealer = await sealerOf(terminal);
  const records = await openRecordsOf(terminal);
  let isAny = false;
  try {
    for await (const story of readDispatches(records.pool, query)) {
      isAny = true;
      const account =
        story.accountId === undefined ? undefined : await findAccountById(records.pool, sealer, story.accountId);
      yield { at: `dispatch ${story.id}`, name: `${story.operation}-${story.id}`, story, account };
    }
  } finally {
    await records.close();
  }
  if (!isAny && dispatch !== undefined) {
    throw new Misuse(`there is no dispatch ${dispatch}${carrier === undefined ? '' : ` of ${carrier}`}`);
  }
}

// What a sandbox answers ---------------------------------------------------------------------------------------------

/** Sends the first step of the case; production is out of reach. */
async function* sentStory(options: Options, carriers: CarriersOfHome, terminal: Terminal): AsyncGenerator<Told> {
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { caseNames } = await import('../workbench/cases/case-files.ts');
  const { readCase } = await import('../workbench/cases/read.ts');
  const { didYouMean } = await import('../engine/mapping/closest.ts');
  const { askNow } = await import('../workbench/replay/recorded-story.ts');
  const { openLive } = await import('./live.ts');
  const { showFinding } = await import('./show-finding.ts');
  const { carrier: code = '', case: name = '' } = options;
  const files = directoryCaseFiles(homeOf(terminal));
  const carrier = carriers.find(code);
  const known = caseNames(code, files).map((file) => file.replace(/\.yaml$/, ''));
  if (!known.includes(name)) {
    throw new Misuse(
      `${code} has no case "${name}"${known.length === 0 ? '' : `: ${didYouMean(name, known) ?? `it has ${known.slice(0, 10).join(', ')}`}`}`,
    );
  }
  const read = readCase(code, `${name}.yaml`, files);
  if (!read.ok) throw new Misuse(read.findings.map((finding) => showFinding(finding)).join('\n'));
  const live = await openLive({ against: 'sandbox', shipper: options.shipper }, 'record', terminal);
  try {
    const { running } = await live.settingOf(carrier);
    const story = await askNow(read.caseFile, carrier, running, Date.now());
    const { credentials = {}, settings = {} } = running.given ?? {};
    yield { at: name, name: `${name}-sandbox`, story, account: { credentials, settings } };
  } finally {
    await live.close();
  }
}
