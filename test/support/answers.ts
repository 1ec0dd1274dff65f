/**
 * Vitest's setup file beside `watch-answers.mjs`, which looks at every answer of an API, in the test's own process and
 * in those that it starts: one that is not as /openapi.json describes it fails the test during which it was sent.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from 'vitest';

const file = path.join(tmpdir(), `waybill-answers-${randomUUID()}`);
process.env['ANSWER_PROBLEMS'] = file;

/** What was found since the last look; for the test of this check. */
export const takeProblems = (): string[] => {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
  rmSync(file);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string);
};

const failOnProblems = (): void => {
  const found = takeProblems();
  if (found.length > 0) throw new Error(`answers that are not as /openapi.json describes them:\n${found.join('\n')}`);
};
afterEach(failOnProblems);
// Of servers that end with the file.
afterAll(failOnProblems);
