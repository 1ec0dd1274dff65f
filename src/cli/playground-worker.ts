/**
 * Evaluates drafts in a process of its own, which knows no secret of the server: a mapping that runs on or takes too much memory ends with it.
 * Arguments: the home, and the root of the package.
 */
import { Failure } from '../engine/failure.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { rememberTexts } from '../engine/remembered.ts';
import type { CoveredBefore } from '../workbench/cases/coverage.ts';
import { directoryCaseFiles } from '../workbench/cases/read.ts';
import { type Begin, beginCarrier } from '../workbench/playground/begin.ts';
import type { Draft } from '../workbench/playground/draft.ts';
import { completeAt, explainAt } from '../workbench/playground/hints.ts';
import { openDraft } from '../workbench/playground/try-draft.ts';

interface Place {
  readonly draft: Draft;
  readonly path: string;
  readonly offset: number;
}

const [, , home = '', packageRoot = ''] = process.argv;
const homes = { home: directoryFiles(home), shipped: directoryFiles(packageRoot) };
const files = directoryCaseFiles(home);
/** Expressions and files, of the largest carrier some 300. */
rememberTexts(2_000);

/** Covered and linted is what was tried last. */
let opened: { readonly key: string; readonly draft: ReturnType<typeof openDraft> } | undefined;
const open = (draft: Draft): NonNullable<typeof opened>['draft'] => {
  opened = { key: JSON.stringify(draft), draft: openDraft(draft, homes, files) };
  return opened.draft;
};
const openedOf = (draft: Draft): NonNullable<typeof opened>['draft'] =>
  opened?.key === JSON.stringify(draft) ? opened.draft : open(draft);

interface Tried {
  readonly draft: Draft;
  readonly name: string | undefined;
}

let coveredBefore: { readonly carrier: string; readonly covered: CoveredBefore } | undefined;

const WORK = {
  try: async ({ draft, name }: Tried) => await open(draft).tryCase(name),
  cover: async (draft: Draft) => {
    const before = coveredBefore?.carrier === draft.carrier ? coveredBefore.covered : undefined;
    const { reply, covered } = await openedOf(draft).cover(before);
    coveredBefore = covered && { carrier: draft.carrier, covered };
    return reply;
  },
  lint: async ({ draft, name }: Tried) => {
    const reply = openedOf(draft).lint(name);
    opened = undefined;
    return await Promise.resolve(reply);
  },
  complete: async (place: Place) => await Promise.resolve(completeAt({ ...place, homes, files }) ?? { options: [] }),
  explain: async (place: Place) => await Promise.resolve(explainAt({ ...place, homes, files }) ?? {}),
  begin: async (given: Begin) => await beginCarrier(given, homes.shipped),
  /** What an account of the sandbox would be sent, by which version. */
  rehearse: async ({ draft, name }: { draft: Draft; name: string }) => {
    const { tryCase, hash } = open(draft);
    return { hash, played: (await tryCase(name)).played };
  },
};
export type Work = typeof WORK;
export interface Job<Kind extends keyof Work = keyof Work> {
  readonly kind: Kind;
  readonly given: Parameters<Work[Kind]>[0];
}
/** `text`: JSON. */
export type Done =
  | { readonly text: string }
  | { readonly failure: { readonly message: string; readonly help?: string } };

const perform = async ({ kind, given }: Job): Promise<Done> => {
  try {
    return { text: JSON.stringify(await WORK[kind](given as never)) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const { message, help } = thrown;
    return { failure: { message, ...(help === undefined ? {} : { help }) } };
  }
};

const answer = async (job: Job): Promise<void> => {
  process.send?.(await perform(job));
  // Lint is the last that is asked of a draft: its garbage is collected now, not during the next keystroke.
  if (job.kind === 'lint') setImmediate(() => globalThis.gc?.({ type: 'minor' }));
};

process.on('message', (job: Job) => void answer(job));
process.on('disconnect', () => process.exit());
