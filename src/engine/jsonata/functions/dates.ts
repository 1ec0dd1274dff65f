import type { Run } from '../run.ts';
import { builtin, type Builtin } from './builtin.ts';
import { formatMillis } from './date-format.ts';
import { parseMillis } from './date-parse.ts';

/** The functions on time. */
export const dateFunctions: readonly Builtin[] = [
  builtin('now', '<s?s?:s>', 2, (run: Run, picture: string | undefined, zone: string | undefined) =>
    formatMillis(run, run.timestamp, picture, zone),
  ),
  builtin('millis', '<:n>', 0, (run: Run) => run.timestamp),
  builtin('fromMillis', '<n-s?s?:s>', 3, formatMillis),
  builtin('toMillis', '<s-s?:n>', 2, parseMillis),
];
