import type { Coverage } from '../workbench/cases/coverage.ts';
import { formatPlace } from '../engine/failure.ts';

const WORDS = {
  field: (what: string): string =>
    `mandatory ${what} is not read: map it, or waive it with # unread: ${what} - <reason>`,
  branch: (what: string): string => `no case takes ${what}`,
  rule: (what: string): string => `no case comes to this ${what}`,
  row: (what: string): string => `no case has the status ${what}`,
} as const;

export const showCoverage = ({ carrier, percent, missed, waived }: Coverage): string =>
  [
    `${carrier}: ${percent} % covered\n`,
    ...missed.map(({ kind, what, place }) => `      ${formatPlace(place)} ${WORDS[kind](what)}\n`),
    ...waived.map(({ field, reason }) => `      waived: ${field}: ${reason}\n`),
  ].join('');

/** As `--json` has it: places flat. */
export const jsonCoverage = ({ missed, ...rest }: Coverage): Record<string, unknown> => ({
  ...rest,
  missed: missed.map(({ kind, what, place }) => ({
    kind,
    what,
    file: place.file,
    line: place.line,
    column: place.column,
  })),
});
