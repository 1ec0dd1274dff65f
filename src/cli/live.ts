/** Who answers while payloads are replayed: what was recorded, a simulator of our own, or a carrier's sandbox. */
import type { Carrier } from '../engine/profile/carrier.ts';
import type { Running } from '../workbench/replay/run-payload.ts';
import { Misuse, type Terminal } from './command.ts';

export interface Live {
  /** The carrier as it is to be run, and with which account. Throws a `Failure` where that cannot be. */
  settingOf(carrier: Carrier): Promise<{ readonly carrier: Carrier; readonly running: Partial<Running> }>;
  close(): Promise<void>;
}

export interface Against {
  readonly against: 'nobody' | 'simulator' | 'sandbox';
  readonly shipper?: string | undefined;
}

/** `deed`: as what the use of a shipper's account is noted. */
export const openLive = async (
  { against, shipper }: Against,
  deed: 'replay' | 'record',
  terminal: Terminal,
): Promise<Live> => {
  if (shipper !== undefined && against !== 'sandbox') throw new Misuse('--shipper is for --against sandbox');
  switch (against) {
    case 'nobody':
      return { settingOf: (carrier) => Promise.resolve({ carrier, running: {} }), close: () => Promise.resolve() };
    case 'simulator':
      return await openSimulated(terminal);
    case 'sandbox':
      if (shipper === undefined) throw new Misuse('--against sandbox needs --shipper <code>, whose account is used');
      return await openSandbox(shipper, deed, terminal);
  }
};

const USER_AGENT = 'waybill-replay';

const openSimulated = async (terminal: Terminal): Promise<Live> => {
  const { startSimulator } = await import('./simulate.ts');
  const { createTransport } = await import('../engine/transport/transport.ts');
  const { Failure } = await import('../engine/failure.ts');
  const { movedTo } = await import('../workbench/engine-run.ts');
  const simulator = await startSimulator(terminal);
  const transport = createTransport({ userAgent: USER_AGENT, allowPrivateNetworks: true });
  const { send } = transport;
  return {
    settingOf: (carrier) => {
      const url = simulator.carriers[carrier.code];
      if (url === undefined) {
        throw new Failure(`the simulator has no carrier ${carrier.code}`, { code: 'carrier_not_simulated' });
      }
      const given = { environment: 'production', credentials: simulator.credentials[carrier.code] ?? {} } as const;
      return Promise.resolve({ carrier: movedTo(carrier, url), running: { send, given } });
    },
    close: async () => {
      transport.close();
      await simulator.close();
    },
  };
};

/** Production is out of reach: neither its account is read nor its URL used. */
const openSandbox = async (shipperCode: string, deed: 'replay' | 'record', terminal: Terminal): Promise<Live> => {
  const { openRecordsOf, sealerOf } = await import('./records.ts');
  const { findShipper } = await import('../platform/records/shippers.ts');
  const { findAccountById, findAccountId } = await import('../platform/records/accounts.ts');
  const { recordAudit } = await import('../platform/records/audit.ts');
  const { createTransport } = await import('../engine/transport/transport.ts');
  const { Failure } = await import('../engine/failure.ts');
  const { scalarsOf } = await import('../workbench/replay/recorded-story.ts');
  const { SETTINGS } = await import('../platform/processes/config.ts');
  const sealer = await sealerOf(terminal);
  const records = await openRecordsOf(terminal);
  const shipper = await findShipper(records.pool, shipperCode);
  if (shipper === undefined) {
    await records.close();
    throw new Misuse(`there is no shipper "${shipperCode}"`);
  }
  const allowPrivateNetworks = SETTINGS.allowPrivateNetworks.read(terminal.env['ALLOW_PRIVATE_NETWORKS']);
  const transport = createTransport({ userAgent: USER_AGENT, allowPrivateNetworks });
  const { send } = transport;
  const noted = new Set<number>();
  return {
    settingOf: async (carrier) => {
      const environment = 'sandbox';
      const { code } = carrier;
      if (carrier.environments.sandbox === undefined) {
        throw new Failure(`${code} has no sandbox`, { code: 'environment_missing' });
      }
      const id = await findAccountId(records.pool, { shipperId: shipper.id, carrierCode: code, environment });
      const account = id === undefined ? undefined : await findAccountById(records.pool, sealer, id);
      if (account === undefined) {
        throw new Failure(`${shipperCode} has no sandbox account with ${code}`, { code: 'account_missing' });
      }
      if (!noted.has(account.id)) {
        const detail = JSON.stringify({ shipper: shipperCode, carrier: code, environment });
        const subject = `account:${account.id}`;
        await recordAudit(records.pool, { actor: 'command', action: deed, subject, detail });
        noted.add(account.id);
      }
      const given = {
        environment,
        credentials: scalarsOf(account.credentials),
        settings: scalarsOf(account.settings),
      } as const;
      return { carrier, running: { send, given } };
    },
    close: async () => {
      transport.close();
      await records.close();
    },
  };
};
