/** Loaded before the server: its name server is an attacker's. `CHAOS_NAMES`: a name → answers, one a question in turn. */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const answers = JSON.parse(process.env['CHAOS_NAMES'] ?? '{}') as Readonly<Record<string, readonly string[][]>>;
const asked = new Map<string, number>();

const lookup = (name: string): Promise<{ address: string; family: number }[]> => {
  const turn = asked.get(name) ?? 0;
  asked.set(name, turn + 1);
  const own = answers[name] ?? [];
  const addresses = own[turn % Math.max(1, own.length)];
  return addresses === undefined
    ? Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
    : Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};
Object.assign(dns, { lookup });
syncBuiltinESMExports();
