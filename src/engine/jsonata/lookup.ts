import type { Run } from './run.ts';
import { Sequence } from './value.ts';

/** A field by name: of an object its own, of an array those of all its items, not collapsed. */
export const lookup = (run: Run, value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  const found = new Sequence();
  for (let index = 0; index < value.length; index += 1) {
    run.tick();
    const field = lookup(run, value[index], name);
    if (Array.isArray(field)) {
      run.chargeSequence(found.length + field.length, field.length);
      for (let inner = 0; inner < field.length; inner += 1) found[found.length] = field[inner];
    } else if (field !== undefined) {
      found[found.length] = field;
    }
  }
  return found;
};
