/** Versions of carriers: as they lie in the work tree, as a commit has them, or as a server keeps them by their hash. */
import { Failure } from '../engine/failure.ts';
import { codesOf, type Homes } from '../engine/profile/chain.ts';
import { directoryFiles, memoryFiles } from '../engine/profile/home-files.ts';
import { draftOf, loadBundle, loadCarrier, type LoadedCarrier, type ProfileBundle } from '../engine/profile/load.ts';
import { filesAt, findCommit } from '../workbench/replay/git-files.ts';
import { Misuse, type Terminal } from './command.ts';
import { homeOf, homesOf } from './home.ts';

export interface Version {
  /** For people: a commit, a hash, `working tree`. */
  readonly name: string;
  readonly codes: readonly string[];
  /** undefined: this version has no such carrier. */
  load(code: string): LoadedCarrier | undefined;
}

const WORKING_TREE = 'working tree';
const FOLDERS = ['carriers', 'mappings', 'schemas'];

/** Throws `Misuse` where nothing has that name. */
export const openVersion = async (named: string, terminal: Terminal): Promise<Version> => {
  if (named === WORKING_TREE || named === '.') return versionOf(WORKING_TREE, homesOf(terminal));
  const home = homeOf(terminal);
  const commit = findCommit(home, named);
  if (commit !== undefined) {
    const files = memoryFiles(filesAt(home, commit, FOLDERS));
    return versionOf(commit.slice(0, 12), { home: files, shipped: directoryFiles(terminal.packageRoot) });
  }
  const kept = /^[0-9a-f]{12,64}$/.test(named) ? await findKept(named, terminal) : undefined;
  if (kept === undefined) {
    throw new Misuse(
      `"${named}" is neither "working tree", a commit of ${home}, nor the hash of a profile that a server keeps`,
    );
  }
  const { code } = kept;
  return {
    name: named.slice(0, 12),
    codes: [code],
    load: (wanted) => (wanted === code ? loadBundle(kept) : undefined),
  };
};

const loadDraft = (code: string, homes: Homes): LoadedCarrier => {
  const loaded = loadCarrier(code, homes);
  return { ...loaded, carrier: draftOf(loaded) };
};

const versionOf = (name: string, homes: Homes): Version => {
  const codes = codesOf(homes.home);
  return { name, codes, load: (code) => (codes.includes(code) ? loadDraft(code, homes) : undefined) };
};

const findKept = async (hash: string, terminal: Terminal): Promise<ProfileBundle | undefined> => {
  const { withRecords } = await import('./records.ts');
  const { findProfileVersions } = await import('../platform/records/profiles.ts');
  const [bundle, other] = await withRecords(terminal, async (pool) => await findProfileVersions(pool, hash));
  if (other !== undefined)
    throw new Failure(`several profiles begin with ${hash}: write more of it`, { code: 'hash_ambiguous' });
  return bundle === undefined ? undefined : (JSON.parse(bundle) as ProfileBundle);
};
