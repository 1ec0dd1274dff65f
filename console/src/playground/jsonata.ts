/** How JSONata looks, token by token. */
import { StreamLanguage, type StringStream } from '@codemirror/language';

interface State {
  /** What ends the comment that is open. */
  inComment: boolean;
}

const WORDS = new Set(['and', 'or', 'in', 'function', 'λ']);
const ATOMS = new Set(['true', 'false', 'null']);

const comment = (stream: StringStream, state: State): string => {
  state.inComment = !stream.match(/^[^]*?\*\//);
  if (state.inComment) stream.skipToEnd();
  return 'comment';
};

export const jsonata = StreamLanguage.define<State>({
  name: 'jsonata',
  startState: () => ({ inComment: false }),
  token: (stream, state) => {
    if (state.inComment || stream.match('/*')) return comment(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/^`[^`]*`?/)) return 'propertyName';
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return 'number';
    if (stream.match(/^\$[\w$]*/)) return stream.match(/^\s*\(/, false) ? 'keyword' : 'variableName';
    const [word = ''] = (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null) ?? [];
    if (word !== '') return WORDS.has(word) ? 'keyword' : ATOMS.has(word) ? 'atom' : 'propertyName';
    stream.next();
    return 'operator';
  },
  languageData: {
    commentTokens: { block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
  },
});
