/** What the driver's page reports at the end of a route. */
import { expect, it } from 'vitest';
import { goesBack } from '../../console/driver/route.ts';

it.each([
  ['DELIVERY', 'delivered', false],
  ['DELIVERY', 'partly_delivered', true],
  ['DELIVERY', 'failed', true],
  ['DELIVERY', 'cancelled', false],
  ['PICKUP', 'delivered', true],
  ['PICKUP', 'partly_delivered', true],
  // So that it can be planned again.
  ['PICKUP', 'failed', true],
] as const)('a %s that is %s goes back to the depot: %s', (kind, state, isBack) =>
  expect(goesBack({ kind, state })).toBe(isBack),
);
