import type { Carrier, Operation, Step } from '../../engine/profile/carrier.ts';

/** Calls one after another, so that what was sent and what was noted are in the same order. */
export const oneByOne = (carrier: Carrier): Carrier => ({
  ...carrier,
  operations: Object.fromEntries(
    Object.entries(carrier.operations).map(([name, operation]) => [name, withoutParallel(operation)]),
  ),
});

const alone = (step: Step): Step => ({ ...step, parallel: 1 });

const withoutParallel = (operation: Operation): Operation => {
  const [first, ...rest] = operation.steps;
  return { ...operation, steps: [alone(first), ...rest.map(alone)] };
};
