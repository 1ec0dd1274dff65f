import { type Position, type Root, seenIn } from '../../../../src/engine/mapping/roots.ts';
import { Consignment } from '../../../../src/engine/consignment/consignment.ts';
import { schemaType } from '../../../../src/engine/mapping/types/schema-type.ts';
import { shownType } from '../../../../src/engine/mapping/types/sample-type.ts';
import {
  ANY,
  listOf,
  NUMBER,
  objectOf,
  closedTexts,
  TEXT,
  type Type,
} from '../../../../src/engine/mapping/types/type.ts';

/** What a test declares; what it does not is open. */
export interface Declared {
  readonly settings?: readonly string[];
  readonly memo?: readonly string[];
  /** Answers that the cases show. */
  readonly answers?: readonly unknown[];
}

const named = (names: readonly string[] | undefined, name: string, origin: 'declared' | 'memo'): Type =>
  names === undefined ? ANY : objectOf(new Map(names.map((each) => [each, TEXT])), { name, origin });

export const rootsOf = (positions: readonly Position[], given: Declared): ReadonlyMap<Root, Type> => {
  const memo = named(given.memo, 'memo', 'memo');
  const known: Partial<Record<Root, Type>> = {
    consignment: schemaType(Consignment, 'consignment'),
    service: objectOf({ code: closedTexts(['STD', 'EXP']) }, { name: 'service' }),
    shipment: objectOf({ memo, packages: listOf(objectOf({ memo }, { name: 'packages' })) }, { name: 'shipment' }),
    settings: named(given.settings, 'settings', 'declared'),
    response: objectOf({ status: NUMBER, body: shownType(given.answers ?? [], 'the answer') }, { name: 'response' }),
    request: ANY,
  };
  return new Map([...seenIn(positions)].map((root) => [root, known[root] ?? ANY]));
};
