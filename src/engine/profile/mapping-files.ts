import { type SourceText, sourceText } from '../mapping/source-text.ts';
import type { HomeFiles } from './home-files.ts';
import { didYouMean } from './suggest.ts';
import type { ErrorRule } from './rules.ts';

/** The mapping files of a profile and its bases, by the name a profile writes. */
export interface MappingFiles {
  find(name: string): FoundFile;
  /** Path → text of every file found so far. */
  readonly found: ReadonlyMap<string, string>;
}

type FoundFile =
  | { readonly ok: true; readonly path: string; readonly source: SourceText }
  | { readonly ok: false; readonly rule: ErrorRule; readonly message: string; readonly help: string | undefined };

/** Where one profile of the chain keeps its mappings: beside the profile itself. */
export interface MappingFolder {
  readonly code: string;
  readonly files: HomeFiles;
}

const SIZE_MAX = 1_000_000;
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

/** Seeks in the profile's folder, then its base's. A name that leads out of the folder is refused. */
export const mappingFiles = (folders: readonly MappingFolder[]): MappingFiles => {
  const found = new Map<string, string>();
  const sources = new Map<string, SourceText>();
  const find = (name: string): FoundFile => {
    if (!NAME.test(name)) {
      const help = 'use letters, digits, _ - . and / between folders';
      return { ok: false, rule: 'mapping-path', message: `"${name.slice(0, 100)}" is no name of a mapping file`, help };
    }
    for (const { code, files } of folders) {
      const path = `mappings/${code}/${name}`;
      const known = sources.get(path);
      if (known !== undefined) return { ok: true, path, source: known };
      const text = files.read(path);
      if (text === undefined) continue;
      if (text.length > SIZE_MAX) {
        return {
          ok: false,
          rule: 'too-large',
          message: `${path} is larger than ${SIZE_MAX} characters`,
          help: undefined,
        };
      }
      const source = sourceText(path, text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
      found.set(path, text);
      sources.set(path, source);
      return { ok: true, path, source };
    }
    const places = folders.map(({ code }) => `mappings/${code}/`).join(' and ');
    const known = folders.flatMap(({ code, files }) => files.list(`mappings/${code}`));
    return {
      ok: false,
      rule: 'missing-mapping',
      message: `there is no ${name} in ${places}`,
      help: didYouMean(name, known),
    };
  };
  return { find, found };
};
