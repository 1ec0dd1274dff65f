/**
 * Loaded before the program in every child of a run (`node --import`): nothing of it is in the product. It ends the
 * child with its parent, changes named places of the sources (`CHAOS_PATCHES`), and kills the process at a named point
 * (`CHAOS_POINT`).
 */
import { registerHooks } from 'node:module';
import { DISARM, type Patch } from './patches.ts';

process.on('disconnect', () => process.exit(0));

const patches = JSON.parse(process.env['CHAOS_PATCHES'] ?? '[]') as readonly Patch[];
if (patches.length > 0) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      const own = patches.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (own.length === 0) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString();
      for (const { file, find, put } of own) {
        // A patch that fits no more would leave the product as it is, and the suite green for nothing.
        if (!source.includes(find)) throw new Error(`src/${file} does not hold what a patch looks for: ${find}`);
        source = source.replaceAll(find, () => put);
      }
      return { ...loaded, source };
    },
  });
}

const point = process.env['CHAOS_POINT'];
if (point !== undefined) {
  const { armPoint } = await import('./points.ts');
  const disarm = armPoint(point);
  process.on('message', (message) => {
    if (message === DISARM) disarm();
  });
}
process.channel?.unref();
