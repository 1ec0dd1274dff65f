/** Of PostgreSQL and of the connection to it: it is away, will not take us now, or had to choose between two of us. */
const AWAY =
  /^(?:08...|40...|53...|55P03|57014|57P0.|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ENOENT)$/;
const CONNECTION_LOST =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection|Cannot use a pool after calling end/;

/** Did it fail only because the records could not be reached? Then it may be done again as it was. */
export const isDatabaseAway = (thrown: unknown): boolean => {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError && thrown.errors.some(isDatabaseAway)) return true;
  const { code } = thrown as { code?: unknown };
  return (typeof code === 'string' && AWAY.test(code)) || CONNECTION_LOST.test(thrown.message);
};
