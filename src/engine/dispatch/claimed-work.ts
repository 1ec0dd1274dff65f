/** Work that the records hand out under a lease: claimed, done within its carrier's share of the process, concluded. */
import type { ConcurrencyLimiter } from './limits.ts';
import { LeaseLost } from './ports.ts';

export interface Share {
  /** One carrier's part of this process; work beyond it comes back in its turn. */
  readonly limiter: ConcurrencyLimiter;
  readonly nowMs: () => number;
}

interface ClaimedWork<Claim, Ending> {
  /** Undefined: it is not due, another's, or there is none. */
  claim(): Promise<Claim | undefined>;
  perform(claim: Claim): Promise<Ending>;
  /** Not now: again at that time, milliseconds since 1970. */
  putOff(untilMs: number, claim: Claim): Ending;
  /** In one transaction, under the claim's lease; throws `LeaseLost` when that is gone. */
  conclude(claim: Claim, ending: Ending): Promise<void>;
}

export const performClaimed = async <Claim extends { readonly carrierCode: string }, Ending>(
  { limiter, nowMs }: Share,
  work: ClaimedWork<Claim, Ending>,
): Promise<'not_ours' | 'lease_lost' | Ending> => {
  const claim = await work.claim();
  if (claim === undefined) return 'not_ours';
  const admission = limiter.enter(claim.carrierCode);
  try {
    const ending = admission.admitted ? await work.perform(claim) : work.putOff(nowMs() + admission.waitMs, claim);
    await work.conclude(claim, ending);
    return ending;
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return 'lease_lost';
    throw thrown;
  } finally {
    if (admission.admitted) admission.leave(true);
  }
};
