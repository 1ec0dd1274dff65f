/** What an editor asks about a place of a file: what may be written there, and what stands there means. */
import { type Asked, completeExpression, explainName } from './expression-hints.ts';
import { type Completions, completeYaml, explainYaml, type Meaning } from './profile-hints.ts';

const OPTIONS_MAX = 500;

export const completeAt = (asked: Asked): Completions | undefined => {
  const { path, offset, draft } = asked;
  const text = draft.files[path] ?? '';
  const found = path.endsWith('.jsonata') ? 'expression' : completeYaml(path, text, offset, mappingsOf(asked));
  const completions = found === 'expression' ? completeExpression(asked, text) : found;
  return completions && { ...completions, options: completions.options.slice(0, OPTIONS_MAX) };
};

export const explainAt = (asked: Asked): Meaning | undefined => {
  const { path, offset, draft } = asked;
  const text = draft.files[path] ?? '';
  return (path.endsWith('.yaml') ? explainYaml(path, text, offset) : undefined) ?? explainName(asked, text);
};

/** By the names that a profile writes. */
const mappingsOf = ({ draft: { carrier, files }, homes }: Asked): readonly string[] => {
  const folder = `mappings/${carrier}`;
  const own = Object.keys(files).flatMap((path) =>
    path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
  );
  return [...new Set([...homes.home.list(folder), ...own])].filter((name) => name.endsWith('.jsonata'));
};
