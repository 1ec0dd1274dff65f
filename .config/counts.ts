import type { Reporter, TestModule } from 'vitest/node';

/**
 * Writes `<n> passed, <m> failed[, <k> skipped]` as the last line of a run. What failed outside a test (a file that
 * does not load, a hook, an unhandled rejection) counts as failed.
 */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === 'pending' ? 'failed' : state] += 1;
      }
    }
    const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
    // At the very end, after what other reporters and the teardown write.
    process.once('exit', () => process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`));
  }
}
