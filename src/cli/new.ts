import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { AUTHS } from '../workbench/scaffold/credentials.ts';
import { describe, type Described, type Flags } from '../workbench/scaffold/describe.ts';
import { newCarrier } from '../workbench/scaffold/new-carrier.ts';
import { readMaterial, type SampleFile } from '../workbench/scaffold/read.ts';
import { BODY_FORMATS } from '../workbench/scaffold/sample.ts';
import { writeAll } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { homeOf } from './home.ts';

interface Options extends JsonOption, Flags {
  readonly openapi?: string;
  readonly samples?: readonly string[];
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Creates the profile, mapping and cases of a carrier from samples and descriptions, or from flags; prompts for ' +
        'missing input on a terminal. Guesses are marked "unconfirmed", which lint reports until the marks are removed.',
    )
    .argument('<carrier>', 'carrier code: letters, digits, _ and -')
    .option('--name <name>', 'display name')
    .option('--url <url>', 'production base URL')
    .option('--sandbox-url <url>', 'sandbox base URL')
    .addOption(new Option('--auth <kind>', 'authentication scheme').choices([...AUTHS]))
    .option('--auth-header <name>', 'header of the API key', undefined)
    .addOption(new Option('--format <format>', 'format of request bodies').choices([...BODY_FORMATS]))
    .option('--openapi <file>', 'an OpenAPI document, JSON or YAML')
    .option(
      '--samples <path...>',
      'files, or folders of them: curl commands, .http files, HAR, Postman collections, OpenAPI, XSD, WSDL, and bodies ' +
        'such as create.request.json, create.response.xml, track.response.json, error.json',
    )
    .option(...JSON_OPTION);
  act(command, async (code: string, options: Options) => {
    terminal.endOnInterrupt();
    const home = homeOf(terminal);
    checkCode(code, home);
    const described = await describeFrom(code, options, terminal);
    const { files, findings, ignored, refuted } = await newCarrier(described, directoryFiles(terminal.packageRoot));
    // The consignment may be there from another carrier; it is the same.
    const missing = Object.entries(files).filter(([path]) => !existsSync(join(home, path)));
    const written = writeAll(home, Object.fromEntries(missing));
    const toConfirm = findings.filter(({ rule }) => rule === 'unconfirmed').length;
    print(terminal, options, { carrier: code, written, toConfirm, ignored, refuted }, () =>
      [
        ...written.map((file) => `written: ${file}\n`),
        ...ignored.map((line) => `ignored: ${line}\n`),
        ...refuted.map((line) => `wrong: what the sample of the create says is not what was made of it: ${line}\n`),
        `next: waybill test ${code}, then confirm what waybill lint ${code} names\n`,
      ].join(''),
    );
    return EXIT.good;
  });
};

const checkCode = (code: string, home: string): void => {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(code)) {
    throw new Misuse(`"${code}" cannot be the code of a carrier: letters, digits, _ and -`);
  }
  const taken = [`carriers/${code}.yaml`, `mappings/${code}`, `fixtures/${code}`].find((path) =>
    existsSync(join(home, path)),
  );
  if (taken !== undefined) throw new Misuse(`there is ${taken} already: nothing was written`);
};

const describeFrom = async (code: string, options: Options, terminal: Terminal): Promise<Described> => {
  const paths = [...(options.samples ?? []), ...(options.openapi === undefined ? [] : [options.openapi])];
  const flags = paths.length === 0 ? await askFor(options, terminal) : options;
  for (const each of [flags.url, flags.sandboxUrl]) {
    if (each !== undefined && URL.parse(each)?.protocol !== 'https:')
      throw new Misuse(`"${each.replace(/\/\/.*@|[?#].*/gs, '')}" is not an https URL`);
  }
  const files = paths.flatMap((path) => filesAt(resolve(terminal.cwd, path), basename(path)));
  return describe(code, paths.length === 0 ? undefined : readMaterial(files), flags);
};

const FILE_MAX_BYTES = 20_000_000;
const FILES_MAX = 500;

/** A file, or those of a folder and below it. */
const filesAt = (path: string, name: string): readonly SampleFile[] => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Misuse(`there is no file or folder ${path}`);
  if (found.isFile()) {
    if (found.size > FILE_MAX_BYTES) throw new Misuse(`${path} is larger than ${FILE_MAX_BYTES} bytes`);
    return [{ name, bytes: readFileSync(path) }];
  }
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.'),
  );
  if (entries.length > FILES_MAX) throw new Misuse(`${path} holds more than ${FILES_MAX} files`);
  return entries
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .toSorted()
    .flatMap((file) => filesAt(join(path, file), file));
};

/** What no flag says is asked for, where somebody can be asked. */
const askFor = async (options: Options, { ask }: Terminal): Promise<Options> => {
  if (ask === undefined) return options;
  const oneOf = async <T extends string>(question: string, words: readonly T[], byDefault: T): Promise<T> => {
    const answer = (await ask(`${question} (${words.join(', ')}) [${byDefault}]: `)).trim();
    if (answer === '') return byDefault;
    const found = words.find((word) => word === answer);
    if (found === undefined) throw new Misuse(`"${answer}" is none of ${words.join(', ')}`);
    return found;
  };
  const text = async (question: string): Promise<string | undefined> => (await ask(question)).trim() || undefined;
  const name = options.name ?? (await text('Name, for people: '));
  const url = options.url ?? (await text('URL of its API, https://…: '));
  const auth = options.auth ?? (await oneOf('Authentication', AUTHS, 'apiKey'));
  const format = options.format ?? (await oneOf('Body format', BODY_FORMATS, 'json'));
  return { ...options, ...(name === undefined ? {} : { name }), ...(url === undefined ? {} : { url }), auth, format };
};
