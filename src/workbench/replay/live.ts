/** The carrier's side of a story that is told over the wire: each request is sent once, as it is. */
import { Failure } from '../../engine/failure.ts';
import type { Carrier, EnvironmentDefinition } from '../../engine/profile/carrier.ts';
import type { WireLimits, WireOutcome, WireRequest } from '../../engine/transport/wire.ts';
import type { PlayCarrier } from './tell.ts';

type Send = (request: WireRequest, limits: WireLimits) => Promise<WireOutcome>;

/** What is asked is heard from the engine, which masks it; a try that fails is not made again. */
export const overTheWire =
  (send: Send): PlayCarrier =>
  () => ({
    asked: { requests: [], unanswered: [] },
    send,
    isAtEnd: () => true,
    waited: () => {},
    end: () => {},
  });

/** The carrier with its production at another URL, a simulator's, and whatever further hosts it names there too. */
export const movedTo = (carrier: Carrier, url: string): Carrier => {
  const { production } = carrier.environments;
  if (production === undefined) throw new Failure(`${carrier.code} has no production`, { code: 'environment_missing' });
  const at = { place: carrier.place, text: url, constant: true, evaluate: () => url };
  const values = Object.entries(production.values).map(([key, value]) => [
    key,
    /^['"]?https?:/.test(value.text) ? at : value,
  ]);
  const moved: EnvironmentDefinition = {
    url: at,
    values: Object.fromEntries(values) as EnvironmentDefinition['values'],
  };
  return { ...carrier, hash: `${carrier.hash} at ${url}`, environments: { production: moved } };
};
