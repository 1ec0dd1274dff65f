/** What the device keeps: who drives, the route as it was last told, and what the server has not heard yet. */
import type { Route } from '../src/fleet/shapes.ts';
import type { ReportedEvent } from '../../src/fleet/execution/events.ts';

export interface Known {
  readonly token?: string;
  readonly driver?: { readonly code: string; readonly name: string };
  readonly route?: Route | undefined;
  readonly reasons?: readonly { readonly code: string; readonly description: string }[];
  readonly readAt?: number;
  /** How far the server's clock is ahead of the device's. */
  readonly aheadMs?: number;
  /** By stop: the packages that were scanned. */
  readonly scanned?: Readonly<Record<string, readonly string[]>>;
}

/** An event that is not sent yet, or that the server refused. Another driver's are never sent with this one's token. */
export interface Queued {
  readonly event: ReportedEvent;
  readonly driver: string;
  readonly refused?: readonly string[];
}

export interface Proof {
  readonly id: string;
  readonly stopId: string;
  readonly kind: 'photo' | 'signature';
  readonly content: Blob;
  readonly driver: string;
}

const opened = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('waybill-driver', 1);
    request.addEventListener('upgradeneeded', () => {
      const { result } = request;
      result.createObjectStore('known');
      result.createObjectStore('events', { autoIncrement: true });
      result.createObjectStore('proofs', { keyPath: 'id' });
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the device keeps nothing')));
  });

type Stores = 'known' | 'events' | 'proofs';

/** In the transaction that is open. */
const change = (
  stores: (name: Stores) => IDBObjectStore,
  how: (known: Known) => Known,
): { readonly result: unknown } => {
  const known = stores('known');
  const before = known.get('known') as IDBRequest<Known | undefined>;
  before.addEventListener('success', () => void known.put(how(before.result ?? {}), 'known'));
  return before;
};

export const openStore = async () => {
  const database = await opened();
  /** Resolves when it is on the disk. */
  const within = <Result>(
    names: readonly Stores[],
    mode: IDBTransactionMode,
    act: (store: (name: Stores) => IDBObjectStore) => { readonly result: Result },
  ): Promise<Result> =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction([...names], mode);
      const request = act((name) => transaction.objectStore(name));
      transaction.addEventListener('complete', () => resolve(request.result));
      for (const end of ['abort', 'error'])
        transaction.addEventListener(end, () => reject(transaction.error ?? new Error('the device is full')));
    });
  return {
    /** What is known and what is queued, as they were at one moment; the oldest first. */
    read: async (): Promise<{ readonly known: Known; readonly queue: ReadonlyMap<number, Queued> }> => {
      const { known, keys, events } = await within(['known', 'events'], 'readonly', (store) => {
        const known = store('known').get('known') as IDBRequest<Known | undefined>;
        const keys = store('events').getAllKeys();
        const events = store('events').getAll() as IDBRequest<Queued[]>;
        return { result: { known, keys, events } };
      });
      return {
        known: known.result ?? {},
        queue: new Map(events.result.map((one, at) => [Number(keys.result[at]), one])),
      };
    },
    change: async (how: (known: Known) => Known): Promise<void> =>
      void (await within<unknown>(['known'], 'readwrite', (store) => change(store, how))),
    /** An event and its proofs are kept together, or not at all. */
    add: async (queued: Queued, proofs: readonly Proof[]): Promise<void> =>
      void (await within<unknown>(['events', 'proofs'], 'readwrite', (store) => {
        for (const proof of proofs) store('proofs').put(proof);
        return store('events').add(queued);
      })),
    /** What the server has heard leaves the queue together with the route that shows it. */
    settle: async (
      queued: ReadonlyMap<number, Queued | undefined>,
      how: (known: Known) => Known,
      proofs: readonly string[] = [],
    ): Promise<void> =>
      void (await within<unknown>(['known', 'events', 'proofs'], 'readwrite', (store) => {
        for (const [key, one] of queued) {
          if (one === undefined) store('events').delete(key);
          else store('events').put(one, key);
        }
        for (const id of proofs) store('proofs').delete(id);
        return change(store, how);
      })),
    proofs: async (): Promise<readonly Proof[]> =>
      await within<Proof[]>(['proofs'], 'readonly', (store) => store('proofs').getAll()),
  };
};
export type Store = Awaited<ReturnType<typeof openStore>>;
