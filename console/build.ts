/** Builds the console's pages into `console/dist`, which the server serves. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const HERE = import.meta.dirname;
const OUT = path.join(HERE, 'dist');

/** Of all that the pages are made of. */
const sourcesHash = (): string => {
  const hash = createHash('sha256');
  for (const file of [
    ...globSync(['build.ts', 'index.html', '{src,public}/**/*.*'], { cwd: HERE }),
    '../package-lock.json',
  ].toSorted())
    hash.update(`${file}\n`).update(readFileSync(path.join(HERE, file)));
  return hash.digest('hex');
};

/** Builds them where they are missing or older than their sources. Several processes may do so at once. */
export const buildConsole = async (): Promise<void> => {
  const hash = sourcesHash();
  const mark = path.join(OUT, '.sources');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  const { build } = await import('vite');
  const [made, old] = [`${OUT}.${process.pid}`, `${OUT}.old.${process.pid}`];
  await build({
    root: HERE,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    build: { outDir: made, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
  writeFileSync(path.join(made, '.sources'), hash);
  if (existsSync(OUT)) renameSync(OUT, old);
  renameSync(made, OUT);
  rmSync(old, { recursive: true, force: true });
};

if (import.meta.main) await buildConsole();
