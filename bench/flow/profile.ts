/** CPU profiles of a server's main thread: kept as files, and summed up by function. */
import { mkdir, writeFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender } from './contender.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MOST = 25;

/** Where a function stands, short enough for a table. */
const nameOf = ({ functionName, url, lineNumber }: Profiler.ProfileNode['callFrame']): string => {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const file = url.startsWith('file:') ? path.relative(ROOT, fileURLToPath(url)) : url;
  return `${name} ${file.replace(/^.*node_modules\//, '')}:${lineNumber + 1}`;
};

/** Milliseconds in each function itself. */
const selfTimes = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ReadonlyMap<string, number> => {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[at] ?? 0) / 1_000);
  }
  return times;
};

interface Profiles {
  /** Profiles the server while it does `units` of something. */
  readonly during: <Result>(contender: Contender, what: Profiled, act: () => Promise<Result>) => Promise<Result>;
  /** The most expensive functions of each, in milliseconds a unit. */
  readonly print: () => void;
}

interface Profiled {
  readonly name: string;
  readonly units: number;
}

export const createProfiles = (folder: string): Profiles => {
  const sums = new Map<string, { units: number; times: Map<string, number> }>();
  return {
    during: async ({ profiler }, { name, units }, act) => {
      if (profiler === undefined) return await act();
      await profiler.ask({ profile: 'start' });
      const result = await act();
      const profile = await profiler.ask<Profiler.Profile>({ profile: 'stop' });
      const sum = sums.get(name) ?? { units: 0, times: new Map<string, number>() };
      sums.set(name, sum);
      sum.units += units;
      for (const [one, ms] of selfTimes(profile)) sum.times.set(one, (sum.times.get(one) ?? 0) + ms);
      await mkdir(folder, { recursive: true });
      const file = `${name.replaceAll(/\W+/g, '-')}-${sum.units / units}.cpuprofile`;
      await writeFile(path.join(folder, file), JSON.stringify(profile));
      return result;
    },
    print: () => {
      for (const [name, { units, times }] of sums) {
        const busy = [...times]
          .filter(([one]) => one !== '(idle)' && !one.includes('node:inspector'))
          .toSorted(([, a], [, b]) => b - a);
        const all = busy.reduce((sum, [, ms]) => sum + ms, 0);
        console.log(
          `\n${name}: ${(all / units).toFixed(3)} ms a unit in the server's main thread; by function itself:`,
        );
        for (const [one, ms] of busy.slice(0, MOST))
          console.log(`${(ms / units).toFixed(4).padStart(9)} ${((100 * ms) / all).toFixed(1).padStart(5)}%  ${one}`);
      }
    },
  };
};
