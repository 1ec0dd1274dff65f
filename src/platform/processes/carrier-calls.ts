/** Operations outside dispatches: labels, tracking, registrations. */
import { randomUUID } from 'node:crypto';
import { createMemoryLog, type TakeFromSequence } from '../../engine/dispatch/attempt-log.ts';
import type { Account, Inputs, Ports, Run } from '../../engine/dispatch/ports.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { ExchangeContext } from '../records/exchanges.ts';

/** What such a call needs of the platform. */
export interface CarrierCalls {
  readonly ports: Omit<Ports, 'attemptLog' | 'noteExchange'>;
  readonly carrierOf: (code: string) => Carrier | undefined;
  readonly accountOf: (id: number) => Promise<Account | undefined>;
  /** The roots that a question about a consignment sees. */
  readonly inputsOf: (consignmentId: number) => Promise<Inputs>;
  readonly noteExchange: (context: ExchangeContext) => Ports['noteExchange'];
  /** Of the account. */
  readonly takeFromSequence: (accountId: number) => TakeFromSequence;
}

interface Call extends Omit<Run, 'seed' | 'nowMs'> {
  readonly seed?: string;
  readonly consignmentId?: number | undefined;
}

type Calling = Pick<CarrierCalls, 'ports' | 'noteExchange' | 'takeFromSequence'>;

/** The ports of a call that no dispatch records. */
export const portsFor = (
  { ports, noteExchange: noteIn, takeFromSequence }: Calling,
  { carrier, environment, account, consignmentId }: Pick<Call, 'carrier' | 'environment' | 'account' | 'consignmentId'>,
): Ports => {
  const noteExchange = noteIn({
    carrierCode: carrier.code,
    environment,
    accountId: account.id,
    consignmentId,
    dispatchId: undefined,
    profileHash: carrier.hash,
  });
  return { ...ports, noteExchange, attemptLog: createMemoryLog(noteExchange, takeFromSequence(account.id)) };
};

/** The call as `runOperation` takes it. */
export const prepareCall = (
  calling: Calling,
  { seed = randomUUID(), consignmentId, ...call }: Call,
): { readonly run: Run; readonly ports: Ports } => ({
  run: { ...call, seed, nowMs: calling.ports.nowMs() },
  ports: portsFor(calling, { ...call, consignmentId }),
});
