/** A row that attacks a platform of its own in its own way, and judges by itself what comes of it. */
import { messageOf } from '../../../src/engine/failure.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { type Peer, startPeer } from './children.ts';
import { type Platform, type PlatformOptions, startPlatform } from './platform.ts';

const READY_WITHIN_MS = 180_000;

export interface Trial extends ScenarioContext {
  readonly figures: Record<string, number | string>;
  readonly violations: string[];
  /** Starts a file of `test/chaos` that plays another side. */
  peer<Hello = string>(file: string, options?: object): Promise<Peer<Hello>>;
  /** Without a limit of requests unless told. A process of it that ends by itself makes the row red. */
  open(options: PlatformOptions): Promise<Platform>;
  /** Closed when the row ends. */
  use<Resource extends AsyncDisposable>(resource: Resource): Resource;
}

export const trialRow = (
  row: Pick<Scenario, 'name' | 'promise' | 'weight'>,
  act: (trial: Trial) => Promise<void>,
): Scenario => ({
  ...row,
  limitMinutes: { small: 10, quick: 15 },
  run: async (context) => {
    await using ending = new AsyncDisposableStack();
    const platforms: Platform[] = [];
    const trial: Trial = {
      ...context,
      figures: {},
      violations: [],
      peer: async <Hello>(file: string, options?: object) => ending.use(await startPeer<Hello>(file, options)),
      open: async ({ env, ...options }) => {
        const limits = { readyWithinMs: READY_WITHIN_MS, env: { RATE_LIMIT: '0', ...env } };
        const platform = ending.use(await startPlatform(context, { ...limits, ...options }));
        platforms.push(platform);
        return platform;
      },
      use: (resource) => ending.use(resource),
    };
    const failure = await act(trial).then(
      () => [],
      (error: unknown) => [messageOf(error)],
    );
    const crashes = platforms.flatMap(({ fleet }) => fleet.crashes);
    return { figures: trial.figures, violations: [...crashes, ...trial.violations, ...failure] };
  },
});
