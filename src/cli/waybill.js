#!/usr/bin/env node
// The command `waybill`. Plain JavaScript, so that a Node too old for the rest can still say so.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runsTypeScript = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);

// npm runs its scripts by a shell, which passes no signal on: when that is gone, whoever stopped npm meant this.
if (process.env.npm_lifecycle_event !== undefined && process.env.npm_package_name === 'waybill') {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

if (runsTypeScript) {
  // What was stripped and compiled once is kept: a short command is mostly that.
  module.enableCompileCache?.();
  // It is written when the process ends, unless that is killed: a server writes it once it is up.
  setTimeout(() => module.flushCompileCache?.(), 10_000).unref();
  // Node strips no types under node_modules: an installed package runs what was built.
  const installed = here.split(sep).includes('node_modules');
  const { main } = await import(installed ? '../../dist/cli/main.js' : './main.ts');
  await main();
} else {
  const newer = join(here, '..', '..', 'node_modules', 'node', 'bin', 'node');
  if (existsSync(newer)) {
    const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
    });
  } else {
    process.stderr.write(`waybill needs Node 22.18 or newer; this is ${process.version}.\n`);
    process.exitCode = 2;
  }
}
