import type { FacilityDetails } from '../engine/consignment/facility-schema.ts';
import type { Answer } from './answer.ts';
import { type Page, pages } from './pages.ts';
import { ask, type CallOptions, type Settings } from './request.ts';

export type NewFacility = FacilityDetails;
export type Facility = FacilityDetails & {
  readonly code: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

interface FacilityPage {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface Facilities {
  /** Registers it, or replaces the one with this code. */
  save(code: string, facility: NewFacility, options?: CallOptions): Promise<Answer<Facility>>;
  get(code: string, options?: CallOptions): Promise<Answer<Facility>>;
  delete(code: string, options?: CallOptions): Promise<Answer<{ readonly code: string; readonly deleted: true }>>;
  list(page?: FacilityPage, options?: CallOptions): Promise<Answer<Page<Facility>>>;
  listAll(page?: FacilityPage, options?: CallOptions): AsyncGenerator<Facility, void, undefined>;
}

const at = (code: string): string => `/v2/facilities/${encodeURIComponent(code)}`;

export const facilitiesAt = (settings: Settings): Facilities => {
  const isRepeatable = true;
  const list: Facilities['list'] = async (query, options) =>
    await ask(settings, { method: 'GET', path: '/v2/facilities', query: { ...query }, isRepeatable, options });
  return {
    save: async (code, body, options) =>
      await ask(settings, { method: 'PUT', path: at(code), body, isRepeatable, options }),
    get: async (code, options) => await ask(settings, { method: 'GET', path: at(code), isRepeatable, options }),
    delete: async (code, options) => await ask(settings, { method: 'DELETE', path: at(code), isRepeatable, options }),
    list,
    listAll: (page, options) => pages(async (cursor) => await list({ ...page, ...cursor }, options)),
  };
};
