import type { Reporter, TestModule } from 'vitest/node';

/**
 * Writes `<n> passed, <m> failed[, <k> skipped]` as the last line of a run. What failed outside a test (a file that
 * does not load, a hook, an unhandled rejection) counts as failed. Before it: each test that passed only when it was
 * tried again, with what went wrong at first, so that it is mended and not forgotten.
 */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const unsteady: string[] = [];
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        count[state === 'pending' ? 'failed' : state] += 1;
        if (state === 'passed' && test.diagnostic()?.flaky === true)
          unsteady.push(
            `passed when tried again: ${module.relativeModuleId} > ${test.fullName}\n${errors?.[0]?.stack ?? ''}\n`,
          );
      }
    }
    const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
    // At the very end, after what other reporters and the teardown write.
    process.once('exit', () =>
      process.stdout.write(`${unsteady.join('')}${count.passed} passed, ${count.failed} failed${skipped}\n`),
    );
  }
}
