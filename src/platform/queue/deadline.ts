/** Resolves as `work` does, or with `fallback` when that takes longer. `work` goes on; its later rejection is ignored. */
export async function within<Value, Fallback>(
  work: Promise<Value>,
  limitMs: number,
  fallback: Fallback,
): Promise<Value | Fallback> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => resolve(fallback), limitMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
