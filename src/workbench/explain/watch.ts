/** Watches the mappings of a carrier: which was evaluated for what, and what it came to. */
import { DrawNeeded, type Mapping } from '../../engine/mapping/mapping.ts';
import { type Evaluation, tracingEngine, type Watcher } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { isMap, type ValuePath } from '../../engine/value.ts';

/** One evaluation of a mapping. */
export interface Note {
  /** Where it stands in the carrier: `operations`, `create`, `steps`, 0, `body`, `content`. */
  readonly where: ValuePath;
  readonly mapping: Mapping;
  /** That of the roots. */
  readonly consignment: unknown;
  /** Of the expressions that the mapping is made of. */
  readonly evaluations: Evaluation[];
  value: unknown;
  thrown: unknown;
}

/** `engine` is what the carrier is to be compiled with; `also` is told as well. */
export const watchMappings = (also?: Pick<Watcher, 'compiled' | 'touched'>) => {
  const notes: Note[] = [];
  let open: Note | undefined;

  const watched = (mapping: Mapping, where: ValuePath): Mapping => ({
    ...mapping,
    evaluate(roots, context) {
      const outer = open;
      const { consignment } = roots;
      const note: Note = { where, mapping, consignment, evaluations: [], value: undefined, thrown: undefined };
      open = note;
      notes.push(note);
      try {
        note.value = mapping.evaluate(roots, context);
        return note.value;
      } catch (thrown) {
        note.thrown = thrown;
        // It is evaluated again as soon as what it needs is drawn.
        if (thrown instanceof DrawNeeded) notes.splice(notes.indexOf(note), 1);
        throw thrown;
      } finally {
        open = outer;
      }
    },
  });

  const over = (value: unknown, where: ValuePath): unknown => {
    if (isMapping(value)) return watched(value, where);
    if (Array.isArray(value)) return value.map((one, at) => over(one, [...where, at]));
    if (!isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, over(held, [...where, key])]));
  };

  return {
    engine: tracingEngine({
      ...also,
      evaluated: (one) => open?.evaluations.push(one),
      isExplained: () => open !== undefined,
    }),
    notes: notes as readonly Note[],
    over: ({ operations, auths, statuses, ...rest }: Carrier): Carrier => ({
      ...rest,
      ...(over({ operations, auths }, []) as Pick<Carrier, 'operations' | 'auths'>),
      statuses: { ...statuses, webhook: over(statuses.webhook, ['statuses', 'webhook']) as typeof statuses.webhook },
    }),
  };
};
export type Watch = ReturnType<typeof watchMappings>;

const isMapping = (value: unknown): value is Mapping =>
  isMap(value) && typeof value['evaluate'] === 'function' && 'constant' in value;

/** Whether something stands in this step. */
export const isIn = (step: ValuePath, where: ValuePath): boolean => step.every((part, at) => where[at] === part);
export const isSame = (one: ValuePath, other: ValuePath): boolean => one.length === other.length && isIn(one, other);
