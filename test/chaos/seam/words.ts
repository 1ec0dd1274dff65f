/** Said to a child: its point kills no more. */
export const DISARM = 'disarm';

/** Begins the line, on standard error, of a process that dies at a point of its own. */
export const DIES_AT = 'chaos: dies at ';
