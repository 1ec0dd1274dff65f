/** What a simulated carrier knows of its shipments, in memory. */
import type { Told } from './tracking.ts';
import type { Roles } from './roles.ts';

export interface Shipment {
  /** What names it, by role: numbers, memos, the references of the order. */
  readonly roles: Map<string, string>;
  /** What stands for each word of the case it was created by. */
  readonly words: Map<string, string>;
  /** Of each package that a call of its own made: what stands for the words of the case. */
  readonly parts: ReadonlyMap<string, string>[];
  isCancelled: boolean;
  /** Requests for a label that was not made yet then. */
  readonly waitedFor: Set<string>;
  /** By tracking number, in the order of their telling. */
  readonly events: Map<string, Told[]>;
}

export const numbersOf = ({ roles }: Pick<Shipment, 'roles'>): readonly string[] => {
  const own = [...roles].filter(([role]) => /^packages\.\d+\.number$/.test(role)).map(([, number]) => number);
  const whole = roles.get('number');
  return [...new Set(own.length > 0 ? own : whole === undefined ? [] : [whole])];
};

const SHIPMENTS_MAX = 10_000;

/** Shipments in the order of their creation; the oldest are forgotten. */
export const createBook = () => {
  const shipments = new Set<Shipment>();
  const byNumber = new Map<string, Shipment>();
  const byReference = new Map<string, Shipment>();
  const index = (shipment: Shipment): void => {
    for (const word of shipment.words.values()) byNumber.set(word, shipment);
    for (const [role, word] of shipment.roles) (role.startsWith('order.') ? byReference : byNumber).set(word, shipment);
  };
  return {
    add: (roles: Roles, words: ReadonlyMap<string, string>): Shipment => {
      const shipment = {
        roles: new Map(roles),
        words: new Map(words),
        parts: [],
        isCancelled: false,
        waitedFor: new Set<string>(),
        events: new Map<string, Told[]>(),
      };
      shipments.add(shipment);
      index(shipment);
      const [oldest] = shipments;
      if (shipments.size > SHIPMENTS_MAX && oldest !== undefined) {
        shipments.delete(oldest);
        for (const map of [byNumber, byReference])
          for (const word of [...oldest.words.values(), ...oldest.roles.values()])
            if (map.get(word) === oldest) map.delete(word);
      }
      return shipment;
    },
    index,
    /** The first that one of these names. */
    findByNumber: (words: readonly string[]): Shipment | undefined =>
      words.flatMap((word) => byNumber.get(word) ?? [])[0],
    findByReference: (words: readonly string[]): Shipment | undefined =>
      words.flatMap((word) => byReference.get(word) ?? [])[0],
    list: (): readonly Shipment[] => [...shipments],
  };
};
export type Book = ReturnType<typeof createBook>;
