/** What runs beside the platform in its process, and of which the platform knows nothing: the command line composes the two. */
import type { Transport } from '../../engine/transport/transport.ts';
import type { AddRoutes } from '../api/route.ts';
import type { Platform } from './platform.ts';
import { type Environment, readSettings, type Settings, type ValuesOf } from './setting.ts';

interface OpenCompanion {
  /** Requests to carriers at this origin are handed to it, and leave by no socket. */
  readonly endpoint: { readonly origin: string; readonly send: Transport['send'] };
  /** Its routes, where the API is served. */
  readonly addRoutes: AddRoutes;
  /** Begins to work, once the platform does. */
  start(): void;
  close(): Promise<void>;
}

export interface Companion {
  /** Its own, which are read and checked, masked in the log and shown as those of the platform are. */
  readonly settings: Settings;
  readonly open: (platform: Platform, env: Environment) => Promise<OpenCompanion>;
}

export const defineCompanion = <Own extends Settings>(
  settings: Own,
  open: (platform: Platform, values: ValuesOf<Own>) => Promise<OpenCompanion>,
): Companion => ({
  settings,
  open: async (platform, env) => await open(platform, readSettings(env, settings)),
});

export const settingsOf = (companions: readonly Companion[]): Settings =>
  Object.assign({}, ...companions.map(({ settings }) => settings)) as Settings;

/** Opens them all. From then on requests to their endpoints end there. */
export const openCompanions = async (
  platform: Platform,
  companions: readonly Companion[],
  env: Environment,
): Promise<readonly OpenCompanion[]> => {
  const opened: OpenCompanion[] = [];
  try {
    for (const companion of companions) {
      const open = await companion.open(platform, env);
      opened.push(open);
      platform.endpoints.set(open.endpoint.origin, open.endpoint.send);
    }
  } catch (thrown) {
    await Promise.all(opened.map(async (one) => await one.close()));
    throw thrown;
  }
  return opened;
};
