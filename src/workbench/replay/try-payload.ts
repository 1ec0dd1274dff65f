/** A payload that one version of a carrier can use and another cannot is an effect, too. */
import { Failure } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Observation } from './observation.ts';
import type { Payload } from './payload.ts';
import { type Running, runPayload } from './run-payload.ts';

const UNUSABLE = 'payload_unusable';

/** As `runPayload`; what it cannot use is `invalid`. */
export const tryPayload = async (
  payload: Payload,
  carrier: Carrier,
  running: Running,
): Promise<readonly Observation[]> => {
  try {
    return await runPayload(payload, carrier, running);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const messages = [thrown.message];
    return [{ deed: payload.kind, outcome: 'invalid', code: UNUSABLE, messages, requests: [], events: [] }];
  }
};

export const usable = (observations: readonly Observation[]): boolean =>
  observations.some(({ outcome, code }) => outcome !== 'invalid' || code !== UNUSABLE);
