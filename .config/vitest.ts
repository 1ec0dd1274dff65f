import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import Counts from './counts.ts';

const isCi = process.env['CI'] !== undefined;

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    setupFiles: ['.config/properties.ts', 'test/support/watch-answers.mjs', 'test/support/answers.ts'],
    globalSetup: ['test/support/services.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    reporters: isCi ? ['default', new Counts()] : ['default'],
  },
});
