import { join } from 'node:path';
import { Option } from 'commander';
import type { Carrier } from '../engine/profile/carrier.ts';
import { type Finding, formatFinding } from '../engine/profile/finding.ts';
import { differencesOf, type Grouping, startGrouping } from '../workbench/replay/difference.ts';
import { type Found, showPlace } from '../workbench/replay/payload.ts';
import { sizeOfSource } from '../workbench/replay/read-source.ts';
import { isUsable, tryPayload } from '../workbench/replay/run-payload.ts';
import {
  type CarrierDifferences,
  differencesAsMarkdown,
  differencesAsText,
} from '../workbench/replay/show-differences.ts';
import {
  type DeclareCommand,
  EXIT,
  JSON_OPTION,
  type JsonOption,
  Misuse,
  type Terminal,
  writeJson,
} from './command.ts';
import { chooseAmong, homeOf, homesOf } from './home.ts';
import { openTraffic, takeTraffic } from './traffic.ts';
import { addToPolicies, comparePolicy, type PoliciesOf, policiesOf, type PolicyPair } from './diff-policies.ts';
import { Failure } from '../engine/failure.ts';
import { codesOf, type Homes } from '../engine/profile/chain.ts';
import { directoryFiles, memoryFiles } from '../engine/profile/home-files.ts';
import { draftOf, loadBundle, loadCarrier, type LoadedCarrier, type ProfileBundle } from '../engine/profile/load.ts';
import { movesAsMarkdown, movesAsText, type PolicyChange } from '../workbench/policies/show-moves.ts';
import { filesAt, findCommit } from '../workbench/replay/git-files.ts';

interface Options extends JsonOption {
  readonly from: string;
  readonly to: string;
  readonly traffic?: readonly string[];
  readonly as?: string;
  readonly service?: string;
  readonly format: 'text' | 'markdown';
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Runs recorded traffic through two versions of carriers, and groups the differences by meaning; orders through ' +
        'two versions of policies, and says which go elsewhere, in money and days. A version is ' +
        'a commit, "working tree", or the hash of a profile that a server keeps.',
    )
    .argument('[carrier...]', 'carrier codes and names of policies; default: all that differ')
    .option('--from <version>', 'the version before', 'HEAD')
    .option('--to <version>', 'the version after', 'working tree')
    .option('--traffic <source...>', 'files, folders or queries, as for replay; default: the carriers’ cases')
    .option('--as <what>', 'as for replay')
    .option('--service <word>', 'as for replay')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'markdown']).default('text'))
    .option(...JSON_OPTION);
  act(command, async (carriers: string[], options: Options) => await diff(carriers, options, terminal));
};

interface Pair {
  readonly from: Carrier;
  readonly to: Carrier;
  readonly grouping: Grouping;
}

const diff = async (named: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  const [from, to] = [await openVersion(options.from, terminal), await openVersion(options.to, terminal)];
  const names = [...new Set([...from.policies.names, ...to.policies.names])].toSorted();
  const chosen = chooseAmong(named, [...codesOfBoth(from, to), ...names], terminal);
  const codes = chosen.filter((code) => !names.includes(code));
  const policies = new Map(
    names
      .filter((name) => chosen.includes(name))
      .map((name) => [name, comparePolicy(name, from.policies, to.policies)]),
  );
  const compared = new Map(codes.map((code) => [code, compareVersions(code, from, to)]));
  const pairs = new Map([...compared].flatMap(([code, one]) => ('grouping' in one ? [[code, one] as const] : [])));
  const policyPairs = new Map([...policies].flatMap(([name, one]) => ('add' in one ? [[name, one] as const] : [])));
  const both = { carriers: pairs, policies: policyPairs };
  const { broken, isInterrupted } = await runTraffic(both, named, options, terminal);
  const changes = [...policies.values()]
    .map((one) => ('add' in one ? one.change() : one))
    .filter(({ state }) => named.length > 0 || state !== 'same');
  const carriers = [...compared].flatMap(([code, one]): CarrierDifferences[] => {
    if ('grouping' in one) return [comparedPair(code, one)];
    return named.length > 0 || one.state !== 'same' ? [one] : [];
  });
  const isSame =
    carriers.every((one) => one.state === 'same' || (one.state === 'compared' && one.changed === 0)) &&
    changes.every((one) => one.state === 'same' || (one.state === 'compared' && one.moved === 0));
  if (options.json === true) {
    const json = { from: from.name, to: to.name, broken, carriers: carriers.map(jsonOf), policies: changes };
    writeJson(terminal, { ok: isSame, interrupted: isInterrupted, ...json });
  } else {
    terminal.out(shown(carriers, changes, options));
    if (broken > 0) terminal.error(`waybill: ${broken} payloads cannot be used: waybill replay tells why\n`);
    if (isInterrupted) terminal.error('waybill: interrupted: this is what was seen so far\n');
  }
  return isInterrupted ? EXIT.interrupted : isSame ? EXIT.good : EXIT.findings;
};

/** One section where the other has nothing to tell. */
const shown = (
  carriers: readonly CarrierDifferences[],
  policies: readonly PolicyChange[],
  { format }: Options,
): string => {
  const [ofCarriers, ofPolicies] =
    format === 'markdown' ? [differencesAsMarkdown, movesAsMarkdown] : [differencesAsText, movesAsText];
  if (policies.length === 0) return ofCarriers(carriers);
  return carriers.length === 0 ? ofPolicies(policies) : `${ofCarriers(carriers)}\n${ofPolicies(policies)}`;
};

/** As `--json` has it. */
const jsonOf = (one: CarrierDifferences): unknown => {
  if (one.state !== 'compared') return one;
  const { differences, ...rest } = one;
  return { ...rest, effects: differences.map(({ action, ...group }) => ({ ...group, deed: action })) };
};

// Versions -----------------------------------------------------------------------------------------------------------

const codesOfBoth = (from: Version, to: Version): readonly string[] => {
  // A profile kept by its hash is one carrier's: the others have nothing to be compared with.
  const isOne = from.codes.length === 1 || to.codes.length === 1;
  const shared = from.codes.filter((code) => to.codes.includes(code));
  if (shared.length === 0 && isOne) throw new Misuse('the two versions have no carrier in common');
  return (isOne ? shared : [...new Set([...from.codes, ...to.codes])]).toSorted();
};

const compareVersions = (carrier: string, from: Version, to: Version): Pair | CarrierDifferences => {
  const [before, after] = [from.load(carrier), to.load(carrier)];
  if (before === undefined) return { carrier, state: 'new' };
  if (after === undefined) return { carrier, state: 'gone' };
  const isSame =
    before.carrier === undefined && after.carrier === undefined
      ? JSON.stringify(before.bundle) === JSON.stringify(after.bundle)
      : before.carrier?.hash === after.carrier?.hash;
  if (isSame) return { carrier, state: 'same' };
  if (after.carrier === undefined) return { carrier, state: 'broken', why: firstError(after.findings) };
  if (before.carrier === undefined) return { carrier, state: 'mended', why: firstError(before.findings) };
  return { from: before.carrier, to: after.carrier, grouping: startGrouping() };
};

const firstError = (findings: readonly Finding[]): string => {
  const first = findings.find(({ severity }) => severity === 'error');
  return first === undefined ? 'it has errors' : formatFinding(first);
};

const comparedPair = (carrier: string, { from, to, grouping }: Pair): CarrierDifferences => ({
  carrier,
  state: 'compared',
  from: from.hash,
  to: to.hash,
  payloads: grouping.payloads,
  changed: grouping.changed,
  differences: grouping.groups(),
});

// Traffic ------------------------------------------------------------------------------------------------------------

interface Pairs {
  readonly carriers: ReadonlyMap<string, Pair>;
  readonly policies: ReadonlyMap<string, PolicyPair>;
}

/** Each payload through both versions of its carrier, and each order through both of all policies. */
const runTraffic = async (
  pairs: Pairs,
  named: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<{ readonly broken: number; readonly isInterrupted: boolean }> => {
  const cases = [...pairs.carriers.keys(), ...pairs.policies.keys()].map((code) =>
    join(homeOf(terminal), 'fixtures', code),
  );
  const sources = options.traffic ?? cases.filter((folder) => sizeOfSource(folder) !== undefined);
  const traffic = openTraffic(sources, options, terminal);
  const only = named.length === 1 ? named[0] : undefined;
  let broken = 0;
  if (pairs.carriers.size + pairs.policies.size === 0) return { broken, isInterrupted: false };
  const isInterrupted = await takeTraffic(traffic, terminal, async (found) => {
    if (!(await compareOne(found, pairs, only, options))) broken += 1;
    return 'go on';
  });
  return { broken, isInterrupted };
};

/** False when it cannot be used. */
const compareOne = async (
  found: Found,
  { carriers, policies }: Pairs,
  only: string | undefined,
  { service }: Options,
): Promise<boolean> => {
  if ('broken' in found) return false;
  const { payload } = found;
  const isChosen = policies.size > 0 && (await addToPolicies(payload, policies, { service, nowMs: NOW_MS }));
  if (carriers.size === 0) return isChosen;
  const code = payload.carrier ?? only;
  if (code === undefined) return isChosen;
  const pair = carriers.get(code);
  // Of a carrier that is the same, or was not asked for.
  if (pair === undefined) return true;
  const running = { nowMs: NOW_MS, service };
  const before = await tryPayload(payload, pair.from, running);
  const after = await tryPayload(payload, pair.to, running);
  if (!isUsable(before) && !isUsable(after)) return false;
  const actions = [...before, ...after].map(({ action }) => action);
  pair.grouping.add(showPlace(payload.place), actions, differencesOf(before, after));
  return true;
};

/** The same for both, and for all payloads that do not say when they were. */
const NOW_MS = Date.parse('2026-01-15T10:00:00Z');

export interface Version {
  /** For people: a commit, a hash, `working tree`. */
  readonly name: string;
  readonly codes: readonly string[];
  readonly policies: PoliciesOf;
  /** undefined: this version has no such carrier. */
  load(code: string): LoadedCarrier | undefined;
}

const WORKING_TREE = 'working tree';
const FOLDERS = ['carriers', 'mappings', 'schemas'];

/** Throws `Misuse` where nothing has that name. */
const openVersion = async (named: string, terminal: Terminal): Promise<Version> => {
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
    policies: policiesOf(undefined),
    load: (wanted) => (wanted === code ? loadBundle(kept) : undefined),
  };
};

const loadDraft = (code: string, homes: Homes): LoadedCarrier => {
  const loaded = loadCarrier(code, homes);
  return { ...loaded, carrier: draftOf(loaded) };
};

const versionOf = (name: string, homes: Homes): Version => {
  const codes = codesOf(homes.home);
  const policies = policiesOf(homes);
  return { name, codes, policies, load: (code) => (codes.includes(code) ? loadDraft(code, homes) : undefined) };
};

const findKept = async (hash: string, terminal: Terminal): Promise<ProfileBundle | undefined> => {
  const { withRecords } = await import('./records.ts');
  const { findProfileVersions } = await import('../platform/records/profiles.ts');
  const [bundle, other] = await withRecords(terminal, async (pool) => await findProfileVersions(pool, hash));
  if (other !== undefined)
    throw new Failure(`several profiles begin with ${hash}: write more of it`, { code: 'hash_ambiguous' });
  return bundle === undefined ? undefined : (JSON.parse(bundle) as ProfileBundle);
};
