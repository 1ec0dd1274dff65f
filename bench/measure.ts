/**
 * Contenders take turns within one process, and are timed by the CPU; medians of the rounds. Run it with
 * `--single-threaded-gc`: else other threads clear away most of what a contender leaves behind, and nobody counts them.
 */

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const roundMs = Number(process.env['BENCH_ROUND_MS'] ?? 100);

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Keeps results alive, or the engine would not build what nobody looks at. */
const sink: unknown[] = [];

export type Contender = () => unknown;

/** CPU time of this thread, in microseconds: what others do on the machine does not count. */
const cpuUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** Microseconds a call, over a fixed time; long, for where the clock ticks in milliseconds. */
const timed = async (contender: Contender): Promise<number> => {
  const end = performance.now() + roundMs;
  const start = cpuUs();
  let calls = 0;
  while (performance.now() < end) {
    for (let index = 0; index < 20; index += 1) {
      const result = contender();
      sink[index] = result instanceof Promise ? await result : result;
    }
    calls += 20;
  }
  return (cpuUs() - start) / calls;
};

/** Microseconds a call of each contender, by subject. All of them take their turn in every round. */
export const interleaved = async <N extends string>(
  subjects: readonly Readonly<Record<N, Contender>>[],
): Promise<readonly Readonly<Record<N, number>>[]> => {
  const times = subjects.map(() => new Map<string, number[]>());
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, contenders] of subjects.entries()) {
      for (const [name, contender] of Object.entries<Contender>(contenders)) {
        const time = await timed(contender);
        // The first round warms up.
        if (round === 0) times[at]?.set(name, []);
        else times[at]?.get(name)?.push(time);
      }
    }
  }
  return times.map(
    (each) => Object.fromEntries([...each].map(([name, list]) => [name, median(list)])) as Record<N, number>,
  );
};

/** Milliseconds of CPU time, on average after a warm-up. */
export const meanMs = (work: () => unknown, times: number): number => {
  for (let index = 0; index < times; index += 1) sink[0] = work();
  const start = cpuUs();
  for (let index = 0; index < times; index += 1) sink[0] = work();
  return (cpuUs() - start) / times / 1000;
};

/** Numbers to three digits, for people. */
export const rounded = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toPrecision(3)) : value]),
  );
