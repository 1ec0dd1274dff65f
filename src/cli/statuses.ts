/** Status tables: rows from a spreadsheet. */
import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { profilePath } from '../engine/profile/chain.ts';
import { importStatuses } from '../workbench/statuses/import-statuses.ts';
import { replaceFile } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print } from './command.ts';
import { jsonFinding, showFinding } from './findings.ts';
import { chooseCodes, homeOf } from './home.ts';

const CSV_MAX_BYTES = 2_000_000;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command.description('Works on the status table of a carrier.');
  const importing = command
    .command('import <carrier> <file>')
    .summary('add the rows of a CSV file to the status table')
    .description(
      'Adds the rows of a CSV file to statuses.table of the profile, whose layout and comments stay. The first line names ' +
        'the columns: code and status, and where there are any subCode, reason, direction (REVERSE: a row of returns) and ' +
        'description (a comment). If anything is wrong, every problem is listed and nothing is changed.',
    )
    .option('--dry-run', 'change nothing')
    .option(...JSON_OPTION);
  act(importing, async (code: string, given: string, options: JsonOption & { readonly dryRun?: boolean }) => {
    chooseCodes([code], terminal);
    const file = resolve(terminal.cwd, given);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) throw new Misuse(`there is no file ${given}`);
    if (found.size > CSV_MAX_BYTES) throw new Misuse(`${given} is larger than ${CSV_MAX_BYTES} bytes`);
    const path = join(homeOf(terminal), profilePath(code));
    const csv = { file: relative(terminal.cwd, file), text: readFileSync(file, 'utf8') };
    const imported = importStatuses(code, readFileSync(path, 'utf8'), csv);
    if (!imported.ok) {
      const findings = imported.findings.map(jsonFinding);
      print(terminal, options, { ok: false, findings }, () =>
        imported.findings.map((finding) => `${showFinding(finding)}\n`).join(''),
      );
      return await Promise.resolve(EXIT.findings);
    }
    const { text, ...told } = imported;
    if (options.dryRun !== true && told.added > 0) replaceFile(path, text);
    print(terminal, options, { ...told, file: profilePath(code) }, () => {
      const ignored = told.ignored.length === 0 ? '' : `ignored columns: ${told.ignored.join(', ')}\n`;
      const added = `${told.added} row${told.added === 1 ? '' : 's'} ${options.dryRun === true ? 'to add' : 'added'}`;
      return `${profilePath(code)}: ${added}, ${told.known} there already\n${ignored}`;
    });
    return EXIT.good;
  });
};
