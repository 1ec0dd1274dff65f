import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { parse } from 'yaml';
import { messageOf } from '../engine/failure.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import {
  AUTHS,
  type AuthKind,
  type Described,
  BODY_FORMATS,
  type BodyFormat,
  usual,
} from '../workbench/scaffold/describe.ts';
import { newCarrier } from '../workbench/scaffold/new-carrier.ts';
import { readOpenApi } from '../workbench/scaffold/read-openapi.ts';
import { readSamples } from '../workbench/scaffold/read-samples.ts';
import { writeAll } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { homeOf } from './home.ts';

interface Options extends JsonOption {
  readonly name?: string;
  readonly url?: string;
  readonly sandboxUrl?: string;
  readonly auth?: AuthKind;
  readonly authHeader?: string;
  readonly format?: BodyFormat;
  readonly openapi?: string;
  readonly samples?: string;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Creates the profile, mapping and cases of a carrier from flags, an OpenAPI document or samples; prompts for ' +
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
      '--samples <folder>',
      'samples: create.request.json, create.response.json, track.response.json, error.json, or .xml',
    )
    .option(...JSON_OPTION);
  act(command, async (code: string, options: Options) => {
    terminal.endOnInterrupt();
    const home = homeOf(terminal);
    checkCode(code, home);
    const described = await describe(code, options, terminal);
    const { files, findings } = await newCarrier(described, directoryFiles(terminal.packageRoot));
    // The consignment may be there from another carrier; it is the same.
    const missing = Object.entries(files).filter(([path]) => !existsSync(join(home, path)));
    const written = writeAll(home, Object.fromEntries(missing));
    const toConfirm = findings.filter(({ rule }) => rule === 'unconfirmed').length;
    print(terminal, options, { carrier: code, written, toConfirm }, () =>
      [
        ...written.map((file) => `written: ${file}\n`),
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

const describe = async (code: string, options: Options, terminal: Terminal): Promise<Described> => {
  const { openapi, samples } = options;
  const isFromScratch = openapi === undefined && samples === undefined;
  if (openapi !== undefined && samples !== undefined) throw new Misuse('--openapi and --samples do not go together');
  const document = openapi === undefined ? {} : fromDocument(resolve(terminal.cwd, openapi));
  const shown = samples === undefined ? {} : fromSamples(resolve(terminal.cwd, samples));
  const asked = isFromScratch ? await askFor(options, terminal) : options;
  const { name, url, sandboxUrl, auth, authHeader, format } = asked;
  const flags = Object.entries({ name, url, sandboxUrl, auth, authHeader, format });
  const described: Described = {
    code,
    name: code,
    url: `https://api.${code.toLowerCase().replaceAll('_', '-')}.example`,
    sandboxUrl: undefined,
    auth: 'apiKey',
    authHeader: 'X-Api-Key',
    tokenUrl: '/oauth/token',
    format: 'json',
    ...usual(),
    ...(isFromScratch ? {} : { cancel: undefined, track: undefined, error: undefined }),
    ...document,
    ...shown,
    ...Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
  };
  for (const each of [described.url, described.sandboxUrl]) {
    if (each !== undefined && URL.parse(each)?.protocol !== 'https:') throw new Misuse(`"${each}" is not an https URL`);
  }
  return described;
};

const FILE_MAX_BYTES = 20_000_000;

const readBounded = (path: string): Buffer => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new Misuse(`there is no file ${path}`);
  if (found.size > FILE_MAX_BYTES) throw new Misuse(`${path} is larger than ${FILE_MAX_BYTES} bytes`);
  return readFileSync(path);
};

const fromDocument = (path: string) => {
  const text = readBounded(path).toString('utf8');
  let document: unknown;
  try {
    // JSON is YAML, too.
    document = parse(text, { logLevel: 'error', maxAliasCount: 1_000 });
  } catch (thrown) {
    throw new Misuse(`${path} cannot be read: ${messageOf(thrown)}`);
  }
  return readOpenApi(document);
};

const SAMPLES_MAX = 200;

const fromSamples = (folder: string) => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Misuse(`there is no folder ${folder}`);
  const names = readdirSync(folder)
    .filter((name) => /\.(?:json|xml)$/i.test(name))
    .slice(0, SAMPLES_MAX);
  return readSamples(names.map((name) => ({ name, bytes: readBounded(join(folder, name)) })));
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
