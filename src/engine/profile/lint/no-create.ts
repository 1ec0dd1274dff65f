import type { Rule } from './rule.ts';

/** no-create: a carrier that nothing can be dispatched to. */
export const noCreate: Rule = ({ carrier, profile, findings }) => {
  if (carrier.abstract || carrier.operations.create !== undefined) return;
  const help = 'add the operation create, or abstract: true for a base';
  findings.warning('no-create', profile.place, 'nothing can be dispatched to this carrier', help);
};
