/** Manifests, as the client has them. */
import type {
  ManifestEntry,
  ManifestFilter,
  ManifestReply,
  ManifestView,
  NewManifest,
} from '../platform/api/manifest-shapes.ts';
import { type ActOptions, callsOf, cursorOf, entriesOf, firstOf, type Page, type PageQuery } from './calls.ts';
import type { CallOptions, Settings } from './request.ts';

const MANIFESTS = '/v2/manifests';

export const manifestsAt = (settings: Settings) => {
  const { act, bytesAt, get } = callsOf(settings);
  const list = async (query?: ManifestFilter & PageQuery, options?: CallOptions) =>
    await get<Page<ManifestEntry>>(MANIFESTS, options, { ...query });
  return {
    /** Of all that waits there for the carrier. */
    create: async (body: NewManifest, options?: Omit<ActOptions, 'respondAsync'>) =>
      firstOf(await act<ManifestReply>('POST', MANIFESTS, body, options)),
    get: async (number: string, options?: CallOptions) =>
      await get<ManifestView>(`${MANIFESTS}/${encodeURIComponent(number)}`, options),
    list,
    listAll: (query?: ManifestFilter & PageQuery, options?: CallOptions) =>
      entriesOf(async (cursor) => await list({ ...query, ...cursor }, options), cursorOf),
    /** By the `url` of one of its `documents`, or by its id. */
    document: async (linkOrId: string, options?: CallOptions) =>
      await bytesAt(`${MANIFESTS}/documents`, linkOrId, options),
  };
};
