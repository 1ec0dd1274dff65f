import path from 'node:path';
import type { Pool } from 'pg';
import type { CarrierDirectory } from '../api/deps.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Policy } from '../../engine/policy/policy.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { hashTexts, profilePath } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { directoryFiles, type HomeFiles } from '../../engine/profile/home-files.ts';
import { policyNames } from '../../engine/profile/policies.ts';
import { loadBundle, loadHome, type ProfileBundle } from '../../engine/profile/load.ts';
import type { Alert } from '../records/alert.ts';
import type { Listener } from '../records/listener.ts';
import type { Log } from '../records/pool.ts';
import { TEST_CARRIER } from '../test-carrier/endpoint.ts';
import { findProfileVersion, keepProfileVersion, noteProfiles } from '../records/profiles.ts';

/** Where the carriers that ship with the engine lie: bases for the carriers of a home. */
const SHIPPED_FILES = directoryFiles(path.resolve(import.meta.dirname, '../../..'));

export interface Carriers extends CarrierDirectory {
  /** The carrier as it was in the version with this hash, for an operation that began with it. */
  version(code: string, hash: string): Promise<Carrier>;
  /** Calls back with the carriers that are new or changed, after each load. */
  onChange(listener: (changed: readonly Carrier[]) => void): void;
  /** Codes that do not load, or load only in their last good version. */
  broken(): readonly string[];
}

/** A reload is told to all processes here. */
const RELOAD_CHANNEL = 'waybill_reload';

/** Loads the carriers of a home and keeps each version's texts, so that what began with one can end with it. */
export const openCarriers = async (
  home: string,
  { pool, listener }: { readonly pool: Pool; readonly listener: Listener },
  log: Log,
  alert: Alert,
): Promise<Carriers> => {
  let current: ReadonlyMap<string, Carrier> = new Map();
  let policies: ReadonlyMap<string, Policy> = new Map();
  let findings: readonly Finding[] = [];
  /** What does not load, by code: the hash of its texts. */
  let broken: ReadonlyMap<string, string> = new Map();
  const versions = new Map<string, Carrier>();
  const listeners: ((changed: readonly Carrier[]) => void)[] = [];

  const loadNow = async (): Promise<void> => {
    const homes = { home: withTestCarrier(directoryFiles(home)), shipped: SHIPPED_FILES };
    const { carriers, bundles, ...loaded } = loadHome(homes);
    for (const carrier of carriers.values()) {
      const { code, hash } = carrier;
      const bundle = bundles.get(code);
      if (bundle === undefined || versions.has(hash)) continue;
      await keepProfileVersion(pool, hash, code, JSON.stringify(bundle));
      versions.set(hash, carrier);
    }
    const failed = [...bundles.values()]
      .filter(({ code }) => !carriers.has(code))
      .map(({ code, files }) => ({ code, hash: hashTexts(code, files) }));
    const changed = [...carriers.values()].filter(({ code, hash }) => current.get(code)?.hash !== hash);
    const removed = [...current.keys()].filter((code) => !bundles.has(code)).map((code) => ({ code }));
    const refused = failed.filter(({ code, hash }) => current.has(code) && broken.get(code) !== hash);
    await noteProfiles(pool, 'remove_profile', removed);
    await noteProfiles(pool, 'refuse_profile', refused);
    await noteProfiles(pool, 'load_profile', changed);
    const lastGood = [...current].filter(([code]) => bundles.has(code) && !carriers.has(code));
    current = new Map([...carriers, ...lastGood]);
    broken = new Map(failed.map(({ code, hash }) => [code, hash]));
    ({ findings } = loaded);
    const wrong = policyNames(homes).filter((name) => !loaded.policies.has(name));
    for (const name of wrong) log.warn({ policy: name, keptLastGood: policies.has(name) }, 'a policy does not load');
    policies = new Map([...[...policies].filter(([name]) => wrong.includes(name)), ...loaded.policies]);
    for (const code of broken.keys()) alert('profile_refused', { carrier: code, keptLastGood: current.has(code) });
    for (const { code } of removed) log.warn({ carrier: code }, 'a carrier is gone: it has no profile any more');
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  };
  let last: Promise<void> = Promise.resolve();
  /** One after another: what is noted of one load is there before the next, and no older one has the last word. */
  const load = async (): Promise<void> => {
    const loading = last.then(loadNow);
    last = loading.catch(() => undefined);
    await loading;
  };
  const reloadFromElsewhere = (): void =>
    void load().catch((error: unknown) =>
      log.error({ error: messageOf(error) }, 'the carriers could not be loaded anew'),
    );
  await load();
  await listener.hear(RELOAD_CHANNEL, { heard: reloadFromElsewhere, missed: reloadFromElsewhere });

  return {
    find: (code) => {
      const carrier = current.get(code);
      return carrier?.abstract === true ? undefined : carrier;
    },
    list: () => [...current.values()].filter(({ abstract }) => !abstract),
    policy: (name) => policies.get(name),
    findings: () => findings,
    broken: () => [...broken.keys()],
    reload: async () => {
      await load();
      await pool.query('select pg_notify($1, $2)', [RELOAD_CHANNEL, '']);
    },
    onChange: (listener) => void listeners.push(listener),
    version: async (code, hash) => {
      const known = versions.get(hash);
      if (known !== undefined) return known;
      const bundle = await findProfileVersion(pool, hash);
      const carrier = bundle === undefined ? undefined : loadBundle(JSON.parse(bundle) as ProfileBundle).carrier;
      if (carrier === undefined) {
        throw new Failure(`the version ${hash} of ${code} is not kept, or no longer compiles`, {
          code: 'profile_version_missing',
        });
      }
      versions.set(hash, carrier);
      return carrier;
    },
  };
};

/** It is in every home; one of the same name there takes its place. */
const withTestCarrier = (home: HomeFiles): HomeFiles => {
  const profile = profilePath(TEST_CARRIER);
  if (home.read(profile) !== undefined) return home;
  const isIts = (file: string): boolean => file === profile || file.startsWith(`mappings/${TEST_CARRIER}/`);
  return {
    read: (file) => (isIts(file) ? SHIPPED_FILES : home).read(file),
    list: (folder) => [...home.list(folder), ...(folder === 'carriers' ? [`${TEST_CARRIER}.yaml`] : [])],
  };
};
