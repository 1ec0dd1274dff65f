import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import Counts from './counts.ts';

const isCi = process.env['CI'] !== undefined;

/** These want modules or memory that no other file has touched; all others share a process with those before them. */
const ALONE = [
  'test/carriers/engines.test.ts',
  'test/engine/mapping/engine-differential.test.ts',
  'test/engine/transport/memory.test.ts',
];

/** A browser takes both cores of a small machine, and waits for pages no longer than a person would: these come last, two at a time. */
const IN_BROWSER = ['test/console/*.test.ts', 'test/fleet/*-page.test.ts'];

/**
 * What would be waited for at the end, were it not begun first. The first two mostly wait, and judge times: they run
 * beside one that computes, not two.
 */
const FIRST = [
  'test/docs/ten-minutes.test.ts',
  'test/platform/limits/sharing.test.ts',
  'test/engine/jsonata/differential/differential.test.ts',
  'test/carriers/engines.test.ts',
  'test/platform/test-carrier/outcomes.test.ts',
  'test/carriers/misspelt-literals.test.ts',
  'test/platform/records/backup.test.ts',
  'test/workbench/cases/typos.test.ts',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const at = FIRST.findIndex((file) => moduleId.endsWith(file));
  return at === -1 ? FIRST.length : at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const project = (name: string, own: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  test: {
    name,
    root: fileURLToPath(new URL('..', import.meta.url)),
    setupFiles: [
      '.config/properties.ts',
      'test/support/leave-as-found.ts',
      'test/support/watch-answers.mjs',
      'test/support/answers.ts',
    ],
    globalSetup: ['test/support/services.ts'],
    pool: 'forks',
    // More than the two cores of a small machine, as much of a run is waiting.
    maxWorkers: 3,
    // These only end what hangs: a busy machine makes a run slow, not red.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 30_000,
    ...own,
  },
});

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    projects: [
      project('alone', { include: ALONE }),
      project('together', { include: ['test/**/*.test.ts'], exclude: [...ALONE, ...IN_BROWSER], isolate: false }),
      project('browser', { include: IN_BROWSER, isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } }),
    ],
    sequence: { sequencer: LongestFirst },
    reporters: isCi ? ['default', new Counts()] : ['default'],
  },
});
