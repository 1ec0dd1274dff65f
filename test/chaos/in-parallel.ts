interface Weighed {
  readonly weight?: number | undefined;
}

/** Performs them, the heaviest first, side by side as far as their weights together are at most `room`. */
export const inParallel = async <Task extends Weighed>(
  tasks: readonly Task[],
  room: number,
  perform: (task: Task) => Promise<void>,
): Promise<void> => {
  const weightOf = ({ weight = 1 }: Task): number => Math.min(weight, room);
  const waiting = tasks.toSorted((a, b) => weightOf(b) - weightOf(a));
  const running = new Set<Promise<void>>();
  let free = room;
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex((task) => weightOf(task) <= free);
    const [task] = next < 0 ? [] : waiting.splice(next, 1);
    if (task === undefined) {
      await Promise.race(running);
      continue;
    }
    free -= weightOf(task);
    const run = perform(task).finally(() => {
      free += weightOf(task);
      running.delete(run);
    });
    running.add(run);
  }
};
