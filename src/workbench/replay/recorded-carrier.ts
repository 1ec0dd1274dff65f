/**
 * The carrier's side of a story that is told again: it answers with what was recorded, in whatever order and way it is
 * asked now. What was never recorded stays unanswered.
 */
import type { WireRequest } from '../../engine/transport/wire.ts';
import { createFakeCarrier, type FakeCarrier, type Reply } from '../cases/fake-carrier.ts';
import { isTarget, segmentsOf, targetOf } from '../cases/requests.ts';
import type { ExpectedRequest } from '../cases/schema.ts';
import { requestsOf, type Script } from '../cases/scripted-carrier.ts';

/** `otherwise`: what answers before the recording does. */
export const recordedCarrier = (
  { exchanges, clock, beside }: Script,
  otherwise?: (request: WireRequest) => Reply | undefined,
): FakeCarrier => {
  const requests = requestsOf(exchanges);
  let open = exchanges.map(({ response }, at) => ({ request: requests[at] ?? {}, response }));
  let isStuck = false;
  return createFakeCarrier({
    clock,
    answer: (request) => {
      const other = otherwise?.(request);
      if (other !== undefined) return other;
      // The same request; else the next to the same path; else the next whose path is half the same, as another version's.
      const found =
        open.find((one) => isTarget(one.request, request)) ??
        open.find((one) => likeness(one.request, request) === 1) ??
        open.find((one) => likeness(one.request, request) >= LIKE_ENOUGH);
      isStuck ||= found === undefined;
      open = open.filter((one) => one !== found);
      return found && { response: found.response, beside };
    },
    isAtEnd: () => isStuck || open.length === 0,
  });
};

const LIKE_ENOUGH = 0.5;

/** The share of the path's segments that are the same; 0 for another method. */
const likeness = (recorded: ExpectedRequest, { method, url }: WireRequest): number => {
  const known = targetOf(recorded);
  const [one = [], other = []] = [known.url, url].map((text) => segmentsOf(URL.parse(text)?.pathname ?? ''));
  if (known.method !== method || one.length !== other.length) return 0;
  return one.length === 0 ? 1 : one.filter((segment, at) => segment === other[at]).length / one.length;
};
