import { isNormalisedStatus, NO_CHANGE, type Reason, REASONS, type TableStatus } from '../../statuses/status.ts';
import type { StatusRow } from '../carrier.ts';
import { entriesOf, type Node, valueOf } from '../tree.ts';
import { textOf, wordOf } from './layers.ts';

/**
 * The rows of the status table. A key is `code`, `code/subCode` or `code/subCode/description`; a missing part is
 * `*`, a literal slash `\/`. Case and outer spaces do not count: patterns are kept trimmed and in lower case.
 */
export const compileTable = (node: Node | undefined): readonly StatusRow[] =>
  entriesOf(node).flatMap(({ key, value }): readonly StatusRow[] => {
    const word = textOf(value.kind === 'map' ? valueOf(value, 'status') : value);
    const status = word === undefined ? undefined : tableStatus(word);
    const reason: Reason | undefined = wordOf(valueOf(value, 'reason'), REASONS);
    if (status === undefined) return [];
    return [{ place: key.place, key: key.text, patterns: patternsOf(key.text), status, reason }];
  });

const tableStatus = (word: string): TableStatus | undefined =>
  word === NO_CHANGE || isNormalisedStatus(word) ? word : undefined;

const partsOfKey = (key: string): readonly string[] =>
  key.split(/(?<!\\)\//).map((part) =>
    part
      .replaceAll(String.raw`\/`, '/')
      .trim()
      .toLowerCase(),
  );

const patternsOf = (key: string): readonly [string, string, string] => {
  const [code = '*', subCode = '*', description = '*'] = partsOfKey(key);
  return [code, subCode, description];
};
