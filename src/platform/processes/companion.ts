/** What runs beside the platform in its process, and of which the platform knows nothing: the command line composes the two. */
import type { Transport } from '../../engine/transport/transport.ts';
import type { AddRoutes } from '../api/route.ts';
import type { Platform } from './platform.ts';

interface OpenCompanion {
  /** Requests to carriers at this origin are handed to it, and leave by no socket. */
  readonly endpoint: { readonly origin: string; readonly send: Transport['send'] };
  /** Its routes, where the API is served. */
  readonly addRoutes: AddRoutes;
  /** Begins to work, once the platform does. */
  start(): void;
  close(): Promise<void>;
}

export type Companion = (platform: Platform) => Promise<OpenCompanion>;

/** Opens them all. From then on requests to their endpoints end there. */
export const openCompanions = async (
  platform: Platform,
  companions: readonly Companion[],
): Promise<readonly OpenCompanion[]> => {
  const opened: OpenCompanion[] = [];
  for (const companion of companions) {
    const open = await companion(platform);
    opened.push(open);
    platform.endpoints.set(open.endpoint.origin, open.endpoint.send);
  }
  return opened;
};
