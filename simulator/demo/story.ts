/** Prints the journey and remembers what did not hold. */
export interface Story {
  chapter(title: string): void;
  tell(line: string): void;
  /** `detail` is shown when it does not hold. */
  check(promise: string, holds: boolean, detail: unknown): void;
  readonly failures: readonly string[];
  readonly checks: () => number;
}

export function createStory(print: (line: string) => void): Story {
  const failures: string[] = [];
  let checks = 0;
  let current = '';
  return {
    chapter: (title) => {
      current = title;
      print(`\n── ${title} ${'─'.repeat(Math.max(1, 60 - title.length))}`);
    },
    tell: print,
    check: (promise, holds, detail) => {
      checks += 1;
      print(`${holds ? '✓' : '✗'} ${promise}`);
      if (holds) return;
      failures.push(`${current}: ${promise}`);
      print(`  ${JSON.stringify(detail)}`);
    },
    failures,
    checks: () => checks,
  };
}
