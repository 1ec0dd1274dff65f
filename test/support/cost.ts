/** Yields the milliseconds that this thread has computed for since: what else the machine does is not counted. */
export const startCost = (): (() => number) => {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
};
