/** Changes the text of an XML document into another document, token by token: layout and comments of the rest stay. */

interface Token {
  /** Layout and comments before it. */
  readonly before: string;
  readonly text: string;
  /** The same for tokens that mean the same. */
  readonly key: string;
  /** Of an opening tag: as it stands where its closing one follows at once. */
  readonly short?: string;
}

const PART = /(?:\s|<!--[^]*?-->)*(<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|[^<\s][^<]*)/gy;
const ATTRIBUTE = /\s([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g;

const tokensOf = (text: string): { readonly tokens: readonly Token[]; readonly rest: string } => {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(PART)) {
    const [whole, written = ''] = match;
    const before = whole.slice(0, whole.length - written.length);
    end = match.index + whole.length;
    const name = /^<[^\s/>]+/.exec(written)?.[0];
    const isEmptyElement = name !== undefined && written.endsWith('/>');
    // `<a/>` and `<a></a>` mean the same.
    if (!isEmptyElement) tokens.push({ before, text: written, key: keyOf(written) });
    else {
      tokens.push({ before, text: `${written.slice(0, -2).trimEnd()}>`, key: keyOf(written), short: written });
      tokens.push({ before: '', text: `</${name.slice(1)}>`, key: `</${name.slice(1)}>` });
    }
  }
  return { tokens, rest: text.slice(end) };
};

const keyOf = (written: string): string => {
  if (written.startsWith('<?xml ')) return '<?xml';
  if (!/^<[^/!?]/.test(written)) return written.trim();
  const attributes = [...written.matchAll(ATTRIBUTE)].map(([, name, value = '']) => `${name}=${value.slice(1, -1)}`);
  return `${/^<[^\s/>]+/.exec(written)?.[0]} ${attributes.sort().join(' ')}`;
};

/** Beyond so many pairs of tokens, finding what stayed would take too long. */
const PAIRS_MAX = 4_000_000;

/** `old` as `seen` has it; undefined where they have too little in common to keep anything. */
export const correctXml = (old: string, seen: string): string | undefined => {
  const { tokens: from, rest } = tokensOf(old);
  // Neither has to begin with a declaration.
  const to = tokensOf(seen).tokens.filter(({ key }) => key !== '<?xml' || from[0]?.key === key);
  if (from.length * to.length > PAIRS_MAX) return undefined;
  const common = commonLengths(from, to);
  const kept: Pick<Token, 'before' | 'text' | 'short'>[] = [];
  let indent = '';
  for (let [at, other] = [0, 0]; at < from.length || other < to.length;) {
    const [one, two] = [from[at], to[other]];
    const length = (a: number, b: number): number => common[a * (to.length + 1) + b] ?? 0;
    if (one !== undefined && two !== undefined && one.key === two.key) {
      kept.push(one);
      indent = /\n[^\n]*$/.exec(one.before)?.[0] ?? indent;
      [at, other] = [at + 1, other + 1];
    } else if (two !== undefined && (one === undefined || length(at, other + 1) >= length(at + 1, other))) {
      // A changed token stands where the old one stood; an element that is new stands on a line of its own.
      const replaces = one !== undefined && length(at + 1, other + 1) === length(at, other);
      kept.push({ ...two, before: replaces ? one.before : /^<[^/]/.test(two.text) ? indent : '' });
      [at, other] = [replaces ? at + 1 : at, other + 1];
    } else at += 1;
  }
  let text = '';
  for (let at = 0; at < kept.length; at += 1) {
    const { before, text: written, short } = kept[at] as (typeof kept)[number];
    const isShort = short !== undefined && kept[at + 1]?.text.startsWith('</') === true;
    text += before + (isShort ? short : written);
    if (isShort) at += 1;
  }
  return text + rest;
};

/** Of the rests from each pair of tokens on: how many of them are in both, in order. */
const commonLengths = (from: readonly Token[], to: readonly Token[]): Uint32Array => {
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  for (let at = from.length - 1; at >= 0; at -= 1) {
    for (let other = to.length - 1; other >= 0; other -= 1) {
      lengths[at * width + other] =
        from[at]?.key === to[other]?.key
          ? (lengths[(at + 1) * width + other + 1] ?? 0) + 1
          : Math.max(lengths[(at + 1) * width + other] ?? 0, lengths[at * width + other + 1] ?? 0);
    }
  }
  return lengths;
};
