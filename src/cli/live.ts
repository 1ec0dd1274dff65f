/** Who answers while payloads are replayed: what was recorded, a simulator of our own, or a carrier's sandbox. */
import { Failure } from '../engine/failure.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import { createTransport } from '../engine/transport/transport.ts';
import { movedTo } from '../workbench/engine-run.ts';
import { scalarsOf } from '../workbench/replay/recorded-story.ts';
import type { Running } from '../workbench/replay/run-payload.ts';
import type { Simulator } from '../workbench/simulate/running.ts';
import { Misuse, type Terminal } from './command.ts';
import { startSimulated } from './simulate.ts';

export interface Live {
  /** The carrier as it is to be run, and with which account. Throws a `Failure` where that cannot be. */
  settingOf(carrier: Carrier): Promise<{ readonly carrier: Carrier; readonly running: Partial<Running> }>;
  close(): Promise<void>;
}

export interface Against {
  readonly against: 'nobody' | 'simulator' | 'sandbox';
  readonly shipper?: string | undefined;
}

/** The use of a shipper's account is noted as that of the command. */
type CommandName = 'replay' | 'record';

export const openLive = async (
  { against, shipper }: Against,
  command: CommandName,
  terminal: Terminal,
): Promise<Live> => {
  if (shipper !== undefined && against !== 'sandbox') throw new Misuse('--shipper is for --against sandbox');
  switch (against) {
    case 'nobody':
      return { settingOf: (carrier) => Promise.resolve({ carrier, running: {} }), close: () => Promise.resolve() };
    case 'simulator':
      return openSimulated(terminal);
    case 'sandbox':
      if (shipper === undefined) throw new Misuse('--against sandbox needs --shipper <code>, whose account is used');
      return await openSandbox(shipper, command, terminal);
  }
};

const USER_AGENT = 'waybill-replay';

const openSimulated = (terminal: Terminal): Live => {
  const simulators = new Map<string, Simulator>();
  const { send, close } = createTransport({ userAgent: USER_AGENT, allowPrivateNetworks: true });
  return {
    settingOf: async (carrier) => {
      const { code } = carrier;
      const simulator = simulators.get(code) ?? (await startSimulated([code], terminal));
      simulators.set(code, simulator);
      const { credentials = {}, settings = {} } = simulator.accounts[code] ?? {};
      const given = {
        environment: 'production',
        credentials: scalarsOf(credentials),
        settings: scalarsOf(settings),
      } as const;
      return { carrier: movedTo(carrier, simulator.carriers[code] ?? ''), running: { send, given } };
    },
    close: async () => {
      close();
      for (const simulator of simulators.values()) await simulator.close();
    },
  };
};

/** Production is out of reach: neither its account is read nor its URL used. */
const openSandbox = async (shipperCode: string, command: CommandName, terminal: Terminal): Promise<Live> => {
  const { findAccountOf, auditAccountUse, openRecordsOf, requireShipper, sealerOf, transportOf } =
    await import('./records.ts');
  const sealer = await sealerOf(terminal);
  const { pool, close } = await openRecordsOf(terminal);
  const shipper = await requireShipper(pool, shipperCode).catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  const transport = transportOf(terminal, USER_AGENT);
  const noted = new Set<number>();
  return {
    settingOf: async (carrier) => {
      const { code } = carrier;
      if (carrier.environments.sandbox === undefined) {
        throw new Failure(`${code} has no sandbox`, { code: 'environment_missing' });
      }
      const whose = { shipper, carrier: code, environment: 'sandbox' } as const;
      const account = await findAccountOf(pool, sealer, whose);
      if (account === undefined) {
        throw new Failure(`${shipperCode} has no sandbox account with ${code}`, { code: 'account_missing' });
      }
      if (!noted.has(account.id)) await auditAccountUse(pool, command, account, whose);
      noted.add(account.id);
      const credentials = scalarsOf(account.credentials);
      const settings = scalarsOf(account.settings);
      return { carrier, running: { send: transport.send, given: { environment: 'sandbox', credentials, settings } } };
    },
    close: async () => {
      transport.close();
      await close();
    },
  };
};
