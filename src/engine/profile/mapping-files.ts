import { type SourceText, sourceText } from '../mapping/source-text.ts';
import type { Place } from '../failure.ts';
import type { Findings } from './finding.ts';
import type { HomeFiles } from './home-files.ts';
import { didYouMean } from '../mapping/closest.ts';

/** The mapping files of a profile and its bases, by the name a profile writes. */
export interface MappingFiles {
  /** What is wrong with the file is a finding at `place`. */
  find(name: string, place: Place): FoundFile | undefined;
  /** Path → text of every file found so far. */
  readonly found: ReadonlyMap<string, string>;
}

interface FoundFile {
  readonly path: string;
  readonly source: SourceText;
}

/** Where one profile of the chain keeps its mappings: beside the profile itself. */
interface MappingFolder {
  readonly code: string;
  readonly files: HomeFiles;
}

const SIZE_MAX = 1_000_000;
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

/** Seeks in the profile's folder, then its base's. A name that leads out of the folder is refused. */
export const mappingFiles = (folders: readonly MappingFolder[], findings: Findings): MappingFiles => {
  const found = new Map<string, string>();
  const sources = new Map<string, SourceText>();
  const find = (name: string, place: Place): FoundFile | undefined => {
    if (!NAME.test(name)) {
      const message = `"${name.slice(0, 100)}" is not the name of a mapping file`;
      findings.report('mapping-path', place, message, 'use letters, digits, _ - . and / between folders');
      return undefined;
    }
    for (const { code, files } of folders) {
      const path = `mappings/${code}/${name}`;
      const text = found.get(path) ?? files.read(path);
      if (text === undefined) continue;
      if (text.length > SIZE_MAX) {
        findings.report('too-large', place, `${path} is larger than ${SIZE_MAX} characters`);
        return undefined;
      }
      const source = sources.get(path) ?? sourceText(path, text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
      found.set(path, text);
      sources.set(path, source);
      return { path, source };
    }
    const places = folders.map(({ code }) => `mappings/${code}/`).join(' and ');
    const known = folders.flatMap(({ code, files }) => files.list(`mappings/${code}`));
    findings.report('missing-mapping', place, `there is no ${name} in ${places}`, didYouMean(name, known));
    return undefined;
  };
  return { find, found };
};
