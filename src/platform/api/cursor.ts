/** Where a page ended, as text that a URL takes and nobody is to read. */

export const writeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of a cursor that we wrote; undefined for any other text. */
export const readCursor = (cursor: string, parts: number): readonly string[] | undefined => {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isOurs =
      Array.isArray(read) &&
      read.length === parts &&
      read.every((part) => typeof part === 'string' && isStorable(part));
    return isOurs ? (read as string[]) : undefined;
  } catch {
    return undefined;
  }
};

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
