import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { Failure } from '../engine/failure.ts';
import { plainLine } from '../engine/text.ts';
import { findAccountById } from '../platform/records/accounts.ts';
import { readDispatches } from '../platform/records/recorded-traffic.ts';
import { directoryCaseFiles } from '../workbench/cases/read.ts';
import { parseQuery } from '../workbench/replay/query.ts';
import { recordCase, type Recording } from '../workbench/replay/record-case.ts';
import { askNow, type RecordedStory } from '../workbench/replay/recorded-story.ts';
import { writeAll } from '../workbench/write-files.ts';
import {
  type DeclareCommand,
  EXIT,
  JSON_OPTION,
  type JsonOption,
  Misuse,
  type Terminal,
  wholeNumber,
  writeJson,
} from './command.ts';
import { type CarriersOfHome, homeOf, openCarriers, readNamedCase } from './home.ts';
import { openLive } from './live.ts';
import { openRecordsOf, sealerOf } from './records.ts';

interface Options extends JsonOption {
  readonly dispatch?: string;
  readonly carrier?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly against?: 'sandbox';
  readonly shipper?: string;
  readonly case?: string;
  readonly keepPeople?: boolean;
  readonly force?: boolean;
}

const LIMIT = 20;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Writes cases from recorded dispatches, or from a consignment sent to a sandbox now. A case is written only ' +
        'if it passes. Secrets are replaced by the profile’s examples, personal data by invented data.',
    )
    .option('--dispatch <id>', 'the dispatch to record')
    .option(
      '--carrier <code>',
      'dispatches of this carrier, oldest first; with --against sandbox, the carrier of the case',
    )
    .option('--since <time>', 'only later dispatches: an age such as 7d, or a date')
    .option('--limit <number>', `maximum number of dispatches to record; default: ${LIMIT}`)
    .addOption(new Option('--against <what>', 'send the request to the carrier now').choices(['sandbox']))
    .option('--shipper <code>', 'with --against sandbox: shipper whose account is used')
    .option('--case <case>', 'with --against sandbox: case whose consignment is sent')
    .option('--keep-people', 'keep personal names, addresses and phone numbers')
    .option('--force', 'overwrite existing cases')
    .option(...JSON_OPTION);
  act(command, async (options: Options) => {
    terminal.endOnInterrupt();
    checkTogether(options);
    return await record(options, terminal);
  });
};

const checkTogether = ({ dispatch, carrier, against, shipper, case: name, since, limit }: Options): void => {
  if (against === undefined) {
    if (shipper !== undefined || name !== undefined) throw new Misuse('--shipper and --case are for --against sandbox');
    if (dispatch === undefined && carrier === undefined) throw new Misuse('say --dispatch <id> or --carrier <code>');
    if (dispatch !== undefined) wholeNumber(dispatch, 15, '--dispatch takes the id of one');
  } else {
    if (carrier === undefined || name === undefined) throw new Misuse('--against sandbox needs --carrier and --case');
    if ([dispatch, since, limit].some((given) => given !== undefined)) {
      throw new Misuse('--dispatch, --since and --limit are not for --against sandbox');
    }
  }
  if (limit !== undefined) wholeNumber(limit, 6, '--limit must be a whole number from 1');
};

interface RecordedCandidate {
  readonly at: string;
  readonly name: string;
  readonly story: RecordedStory;
  readonly account: Recording['account'];
}

const record = async (options: Options, terminal: Terminal): Promise<number> => {
  const home = homeOf(terminal);
  const carriers = openCarriers(terminal, options.carrier);
  const files = directoryCaseFiles(home);
  const all: Record<string, string | Buffer> = {};
  const recorded: { at: string; carrier: string; case: string; files: readonly string[] }[] = [];
  const skipped: { at: string; case: string; why: string }[] = [];
  const stories =
    options.against === undefined ? recordedStories(options, terminal) : sentStory(options, carriers, terminal);
  for await (const { at, name, story, account } of stories) {
    const file = `fixtures/${story.carrierCode}/${name}.yaml`;
    try {
      const carrier = carriers.find(story.carrierCode);
      const keepPeople = options.keepPeople === true;
      const made = await recordCase(story, { carrier, files, name, account, keepPeople });
      const paths = made.ok ? Object.keys(made.files) : [];
      const taken = options.force === true ? undefined : paths.find((path) => existsSync(join(home, path)));
      const taking = taken === undefined ? undefined : `there is ${taken} already: --force writes over it`;
      const why = made.ok ? taking : made.why;
      if (why !== undefined) skipped.push({ at, case: file, why });
      else {
        Object.assign(all, made.ok ? made.files : {});
        recorded.push({ at, carrier: carrier.code, case: file, files: paths });
      }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      skipped.push({ at, case: file, why: thrown.message });
    }
  }
  carriers.showFindings();
  writeAll(home, all);

  const ok = recorded.length > 0 && skipped.length === 0;
  if (options.json === true) writeJson(terminal, { ok, recorded, skipped });
  else {
    for (const one of recorded) for (const file of one.files) terminal.out(`written: ${file}\n`);
    for (const { at, why } of skipped) terminal.error(`${at}: not written: ${plainLine(why)}\n`);
    if (recorded.length + skipped.length === 0) terminal.error('nothing is recorded that could be written\n');
  }
  return ok ? EXIT.good : EXIT.findings;
};

async function* recordedStories(options: Options, terminal: Terminal): AsyncGenerator<RecordedCandidate> {
  const { dispatch, carrier, since, limit = LIMIT } = options;
  const terms = Object.entries({ dispatch, carrier, since, limit }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  const query = parseQuery(`dispatches:${terms.join(' ')}`, Date.now());
  if (query === undefined) return;
  // Whose values an answer repeats is not to be guessed: they are looked up.
  const sealer = await sealerOf(terminal);
  const { pool, close } = await openRecordsOf(terminal);
  let isAny = false;
  try {
    for await (const story of readDispatches(pool, query)) {
      isAny = true;
      const account = story.accountId === undefined ? undefined : await findAccountById(pool, sealer, story.accountId);
      yield { at: `dispatch ${story.id}`, name: `${story.operation}-${story.id}`, story, account };
    }
  } finally {
    await close();
  }
  if (!isAny && dispatch !== undefined) {
    throw new Misuse(`there is no dispatch ${dispatch}${carrier === undefined ? '' : ` of ${carrier}`}`);
  }
}

/** What a sandbox answers to the first step of the case; production is out of reach. */
async function* sentStory(
  options: Options,
  carriers: CarriersOfHome,
  terminal: Terminal,
): AsyncGenerator<RecordedCandidate> {
  const { carrier: code = '', case: name = '', shipper } = options;
  const carrier = carriers.find(code);
  const caseFile = readNamedCase(code, name, terminal);
  if (caseFile === undefined) throw new Misuse(`the case "${name}" of ${code} cannot be read`);
  const live = await openLive({ against: 'sandbox', shipper }, 'record', terminal);
  try {
    const { running } = await live.settingOf(carrier);
    const story = await askNow(caseFile, carrier, running, Date.now());
    const { credentials = {}, settings = {} } = running.given ?? {};
    yield { at: name, name: `${name}-sandbox`, story, account: { credentials, settings } };
  } finally {
    await live.close();
  }
}
