/** Builds the console's pages into `console/dist`, and the driver's page into `console/dist/driver`. The server serves both. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const HERE = import.meta.dirname;
const OUT = path.join(HERE, 'dist');
const MARK = path.join(OUT, '.sources');
const CACHE = path.join(HERE, '../node_modules/.cache');

/** Of all that the pages are made of. */
const sourcesHash = (): string => {
  const hash = createHash('sha256');
  for (const file of [
    ...globSync(['build.ts', 'index.html', '{src,public,driver}/**/*.*'], { cwd: HERE }),
    '../package-lock.json',
    '../src/engine/statuses/status.ts',
  ].toSorted())
    hash.update(`${file}\n`).update(readFileSync(path.join(HERE, file)));
  return hash.digest('hex');
};

/** Builds them where they are missing or older than their sources. Several processes may do so at once. */
export const buildConsole = async (): Promise<void> => {
  const hash = sourcesHash();
  if (isBuiltOf(hash)) return;
  const { build } = await import('vite');
  const [made, old] = ['console', 'console.old'].map((name) => path.join(CACHE, `${name}.${process.pid}`)) as [
    string,
    string,
  ];
  for (const [root, base, outDir] of [
    [HERE, '/console/', made],
    [path.join(HERE, 'driver'), '/driver/', path.join(made, 'driver')],
  ] as const)
    await build({
      root,
      base,
      configFile: false,
      logLevel: 'error',
      oxc: { jsx: { runtime: 'automatic' } },
      build: { outDir, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    });
  writeFileSync(path.join(made, '.sources'), hash);
  try {
    if (existsSync(OUT)) renameSync(OUT, old);
    renameSync(made, OUT);
  } catch (thrown) {
    // Another process was quicker with the same.
    if (!isBuiltOf(hash)) throw thrown;
  } finally {
    for (const folder of [made, old]) rmSync(folder, { recursive: true, force: true });
  }
};

const isBuiltOf = (hash: string): boolean => existsSync(MARK) && readFileSync(MARK, 'utf8') === hash;

if (import.meta.main) await buildConsole();
