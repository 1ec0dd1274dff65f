import type { Problem } from '../../failure.ts';
import type { Roots, EvaluationContext } from '../../mapping/mapping.ts';
import type { Auth, Limits, Step } from '../../profile/carrier.ts';
import type { ClientCertificate } from '../../transport/wire.ts';
import type { CallOutcome } from '../call-request.ts';
import type { TokenStore } from '../ports.ts';

/** What proves who we are, to be laid over a request. Header names in lower case. */
export interface AuthMaterial {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly tls: ClientCertificate | undefined;
  /** Tokens in use, by auth name: the root `auths`. */
  readonly auths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Where the tokens in use are kept, so that a refused one can be dropped. */
  readonly tokens: readonly { readonly key: string; readonly token: string }[];
  /** What masks have to hide from now on. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
}

export type Proving =
  | { readonly ok: true; readonly proof: AuthMaterial }
  | {
      readonly ok: false;
      readonly as: 'config_error' | 'retry';
      readonly problem: Problem;
      readonly retryAfterMs?: number | undefined;
    }
  /** No try was made. */
  | { readonly ok: false; readonly as: 'held_back'; readonly waitMs: number; readonly problem: Problem };

/** What an auth may use: `roots` as §2.8 gives them to auths, and a way to run a login. */
export interface ProvingContext {
  readonly roots: Roots;
  readonly context: EvaluationContext;
  readonly tokens: TokenStore;
  /** Whose tokens: the account with its environment, in this version, by this version of the profile. */
  readonly scope: { readonly account: string; readonly version: number; readonly profileHash: string };
  readonly limits: Limits;
  readonly nowMs: () => number;
  /** Runs a login as a step of its own; its exchange is kept without bodies. */
  readonly askLogin: (step: Step) => Promise<CallOutcome>;
}

export const NO_PROOF: AuthMaterial = { headers: {}, query: {}, tls: undefined, auths: {}, tokens: [], secrets: [] };

export type AuthOf<Kind extends Auth['kind']> = Extract<Auth, { readonly kind: Kind }>;
