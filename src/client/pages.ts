import { type Answer, valueOf } from './answer.ts';

/** `nextCursor` is `cursor` of the next page; missing on the last. */
export interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly nextCursor?: string;
}

interface Cursor {
  readonly cursor?: string;
}

/** Every entry of every page; a page is asked for when the one before is used up. */
export async function* pages<Entry>(
  pageAt: (cursor: Cursor) => Promise<Answer<Page<Entry>>>,
): AsyncGenerator<Entry, void, undefined> {
  for (let cursor: Cursor = {}; ;) {
    const { data, nextCursor } = valueOf(await pageAt(cursor));
    yield* data;
    if (nextCursor === undefined) return;
    cursor = { cursor: nextCursor };
  }
}
