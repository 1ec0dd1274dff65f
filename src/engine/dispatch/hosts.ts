import type { Carrier } from '../profile/carrier.ts';
import { createHostList, type HostList } from '../transport/hosts.ts';

const CACHE_MAX = 1_000;
const lists = new Map<string, HostList>();

/**
 * Where the requests of a carrier may go: the hosts and ports of the URLs of its environment, and the hosts that the
 * profile declares or writes out. A URL that the carrier gave us leads nowhere else.
 */
export const allowedHosts = (carrier: Carrier, environment: Readonly<Record<string, unknown>>): HostList => {
  const urls = Object.values(environment).filter((value) => typeof value === 'string' && /^https?:\/\//i.test(value));
  const key = JSON.stringify([carrier.hash, ...urls]);
  const known = lists.get(key);
  if (known !== undefined) return known;
  const hosts = urls.map((url) => URL.parse(String(url))?.host ?? '').filter((host) => host !== '');
  const list = createHostList([...carrier.hosts, ...hosts]);
  if (lists.size >= CACHE_MAX) lists.clear();
  lists.set(key, list);
  return list;
};
