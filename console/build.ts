/** Builds the pages that the server serves, each with its assets in a folder of `console/dist`. */
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
    ...globSync(['build.ts', 'index.html', '{src,public,driver,zpl}/**/*.*'], { cwd: HERE }),
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
  await forProduction(async () => {
    for (const [folder, root, base] of [
      ['console', HERE, '/console/'],
      // Draws labels in a frame of the console.
      ['zpl', path.join(HERE, 'zpl'), '/console/zpl/'],
      ['driver', path.join(HERE, 'driver'), '/driver/'],
    ] as const)
      await build({
        root,
        base,
        configFile: false,
        logLevel: 'error',
        oxc: { jsx: { runtime: 'automatic' } },
        build: {
          outDir: path.join(made, folder),
          emptyOutDir: true,
          assetsInlineLimit: 0,
          chunkSizeWarningLimit: 10_000,
          modulePreload: { polyfill: false },
        },
      });
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

/** Whoever needs the pages first: in a test, Vite would build them for development. */
const forProduction = async (act: () => Promise<void>): Promise<void> => {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    await act();
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
};

const isBuiltOf = (hash: string): boolean => existsSync(MARK) && readFileSync(MARK, 'utf8') === hash;

if (import.meta.main) await buildConsole();
