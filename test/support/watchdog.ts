import { spawn } from 'node:child_process';

/**
 * Runs a shell command (its `$1`… are `args`) once this process is gone, however it went: after `kill -9`, nothing in
 * it could end the servers that it started. The command must do no harm when all was ended in good order.
 */
export function whenWeAreGone(command: string, ...args: readonly string[]): void {
  const script = `pid=$0; while kill -0 "$pid" 2>/dev/null; do sleep 1; done; ${command}`;
  spawn('/bin/sh', ['-c', script, String(process.pid), ...args], { stdio: 'ignore', detached: true, cwd: '/' }).unref();
}
