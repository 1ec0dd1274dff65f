import type { Log } from '../../src/platform/records/pool.ts';

/** Keeps quiet. */
export const quietLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** Keeps what was logged, to be looked at. */
export function recordingLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
