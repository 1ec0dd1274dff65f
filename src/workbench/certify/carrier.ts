/** The carrier of a certification: the contract's own profile, with the endpoint's URL and authentication. */
import { stringify } from 'yaml';
import type { Account } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import { checkAccount } from '../../engine/profile/account.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { profilePath } from '../../engine/profile/chain.ts';
import { type HomeFiles, memoryFiles } from '../../engine/profile/home-files.ts';
import { loadCarrier } from '../../engine/profile/load.ts';
import { checkUrl } from '../../engine/transport/address.ts';

/** The contract's ways to authenticate, as a profile has them. `header`: of an API key. */
const waysOf = (header: string) => ({
  none: {},
  bearer: { auth: { bearer: { token: SECRET } } },
  basic: { auth: { basic: { username: '${credentials.username}', password: SECRET } } },
  apiKey: { auth: { apiKey: { header, value: SECRET } } },
});
const SECRET = '${credentials.secret}';
export type AuthName = keyof ReturnType<typeof waysOf>;
export const AUTHS = Object.keys(waysOf('')) as readonly AuthName[];

export interface Endpoint {
  readonly url: string;
  /** What it is sent as carrierCode. */
  readonly code: string;
  readonly auth: AuthName;
  readonly header: string;
  /** `secret` and `username`, as far as `auth` uses them. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Rows beside the contract's: the carrier's own code → a normalised status. */
  readonly statuses: Readonly<Record<string, string>>;
}

/** `shipped`: the files of the engine's package. Throws a `Failure` for what no endpoint and no account can be. */
export const certifiedCarrier = (
  { url, code, auth, header, credentials, statuses }: Endpoint,
  shipped: HomeFiles,
): { readonly carrier: Carrier; readonly account: Account } => {
  const checked = checkUrl(url, { allowPrivateNetworks: true });
  if (!checked.allowed) throw invalid([`"${url}" cannot be called: ${checked.reason}`]);
  const profile = {
    carrier: code,
    extends: 'contract',
    environments: { production: { url: checked.url.href } },
    ...waysOf(header)[auth],
    credentials: Object.fromEntries(Object.keys(credentials).map((name) => [name, { secret: name === 'secret' }])),
    statuses: { table: statuses },
  };
  const home = memoryFiles({ [profilePath(code)]: stringify(profile) });
  const { carrier, findings } = loadCarrier(code, { home, shipped });
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (carrier === undefined) throw invalid(errors);
  const account = checkAccount(carrier, 'production', { credentials });
  if (!account.ok) throw invalid(account.issues);
  return { carrier, account: { id: 1, version: 1, credentials: account.credentials, settings: {} } };
};

const invalid = (why: readonly string[]): Failure => new Failure(why.join('; '), { code: 'endpoint_invalid' });
