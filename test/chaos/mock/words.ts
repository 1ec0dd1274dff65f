/** Letters at the end of a reference: what its life is to be. */
export const PUSHED = 'P';
export const REFUSED = 'R';

/** The receiver that never takes anything. */
export const DEAD = 'dead';
