/** Said to a child: its point kills no more. */
export const DISARM = 'disarm';
