/** A carrier as somebody edits it: texts of their own over the files of a home. */
import { once } from '../../engine/value.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import { findFile, type HomeFiles, memoryFiles } from '../../engine/profile/home-files.ts';
import { CODE_PATTERN } from '../../engine/profile/language/profile.ts';
import { type CaseFiles, directoryCaseFiles, memoryCaseFiles } from '../cases/read.ts';

export interface Draft {
  readonly carrier: string;
  /** Edited texts by their paths below the home. */
  readonly files: Readonly<Record<string, string>>;
}

const NAME = '[A-Za-z0-9_-][A-Za-z0-9_.-]*';

/** The files that make a carrier; no other is read from a draft or written. */
export const isFileOf = (carrier: string, path: string): boolean =>
  CODE_PATTERN.test(carrier) &&
  path.length <= 200 &&
  [
    `carriers/${carrier}\\.yaml`,
    `mappings/${carrier}/(?:${NAME}/)*${NAME}\\.jsonata`,
    `fixtures/${carrier}/${NAME}`,
    `fixtures/_consignments/${NAME}\\.yaml`,
  ].some((form) => new RegExp(`^${form}$`).test(path));

const over = <Content>(
  own: { read(path: string): Content | undefined; list(folder: string): readonly string[] },
  home: { read(path: string): Content | undefined; list(folder: string): readonly string[] },
) => ({
  read: (path: string) => own.read(path) ?? home.read(path),
  list: (folder: string) => [...new Set([...home.list(folder), ...own.list(folder)])].toSorted(),
});

export const draftHomes = ({ files }: Draft, { home, shipped }: Homes): Homes => ({
  home: over(memoryFiles(files), home),
  shipped,
});

/** As they are when they are first read. */
export const draftCaseFiles = ({ files }: Draft, home: CaseFiles): CaseFiles => {
  const { read, list } = over(memoryCaseFiles(files), home);
  return { ...home, read: once(read), list: once(list) };
};

const TEXT_MAX = 200_000;
const FILES_MAX = 200;

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** The texts of a carrier that may be edited: its profile, mappings, cases and the consignments that these name. */
export const textsOf = (carrier: string, root: string, files: HomeFiles): readonly TextFile[] => {
  const cases = directoryCaseFiles(root);
  const mappings = (folder: string): readonly string[] => [
    ...cases.list(folder).map((name) => `${folder}/${name}`),
    ...cases.folders(folder).flatMap((name) => mappings(`${folder}/${name}`)),
  ];
  const fixtures = cases.list(`fixtures/${carrier}`).map((name) => `fixtures/${carrier}/${name}`);
  const own = [`carriers/${carrier}.yaml`, ...mappings(`mappings/${carrier}`), ...fixtures];
  const texts = own.filter((path) => isFileOf(carrier, path)).flatMap((path) => textAt(path, root, files));
  const named = new Set(
    texts.flatMap(({ path, text }) =>
      path.endsWith('.yaml')
        ? [...text.matchAll(/\bconsignment:[ \t]*["']?([\w.-]+)["']?[ \t]*(?=[,}\n])/g)].map(([, one]) => one)
        : [],
    ),
  );
  const shared = [...named].map((name) => `fixtures/_consignments/${name}.yaml`);
  return [...texts, ...shared.flatMap((path) => textAt(path, root, files))].slice(0, FILES_MAX);
};

/** None of what is no text, or too long to be edited. */
const textAt = (path: string, root: string, files: HomeFiles): readonly TextFile[] => {
  const found = findFile(`${root}/${path}`);
  const text = found?.isFile() === true && found.size <= TEXT_MAX ? files.read(path) : undefined;
  return text === undefined || /[\0\uFFFD]/.test(text) ? [] : [{ path, text }];
};
