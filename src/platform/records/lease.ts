/**
 * In SQL: so many milliseconds from now. Leases run on PostgreSQL's clock, so that no process's clock, however wrong,
 * ends another's.
 */
export const fromNow = (parameter: `$${number}`): string => `now() + ${parameter} * interval '1 millisecond'`;
