/** The least of a syntax node that its place depends on. */
export interface PlacedNode {
  readonly type?: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly steps?: readonly PlacedNode[];
  readonly procedure?: PlacedNode;
  readonly lhs?: unknown;
  readonly condition?: PlacedNode;
  readonly expressions?: readonly PlacedNode[];
}

const startOfQuoted = (source: string, end: number): number => {
  const quote = source[end - 1];
  for (let start = end - 2; start >= 0; start -= 1) {
    if (source[start] !== quote) continue;
    let backslashes = 0;
    while (source[start - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return start;
  }
  return end - 1;
};

const startOfName = (source: string, name: string, end: number): number =>
  source[end - 1] === '`' ? end - name.length - 2 : end - name.length;

const startOfNumber = (source: string, end: number): number => {
  const digits = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?$/.exec(source.slice(Math.max(0, end - 400), end));
  return end - (digits?.[0].length ?? 1);
};

/** Start of a token, from its value and the offset of its end, which is all that the parser tells. */
export const startOfToken = (source: string, token: unknown, end: number): number => {
  if (typeof token === 'number') return startOfNumber(source, end);
  if (token instanceof RegExp) {
    const flags = token.flags.replace('g', '').length;
    return Math.max(0, end - token.source.length - flags - 2);
  }
  const text = String(token);
  if (source.slice(end - text.length, end) === text && !/["'`]/.test(source[end - 1] ?? '')) {
    const start = end - text.length;
    return source[start - 1] === '$' && /^[^\s\W]/.test(text) ? start - 1 : start;
  }
  const last = source[end - 1];
  if (last === '"' || last === "'") return startOfQuoted(source, end);
  if (last === '`') return startOfName(source, text, end);
  return Math.max(0, end - 1);
};

/** Start of what a syntax node is about: a call's is the function's name, a path's its first step. */
export const startOfNode = (source: string, node: PlacedNode): number | undefined => {
  if ((node.type === 'function' || node.type === 'partial') && node.procedure !== undefined) {
    return startOfNode(source, node.procedure) ?? ownStart(source, node);
  }
  if (node.type === 'bind') return startOfNode(source, node.lhs as PlacedNode);
  if (node.type === 'path' && node.steps?.[0] !== undefined) return startOfNode(source, node.steps[0]);
  if (node.type === 'variable' && node.position !== undefined) return node.position - String(node.value).length - 1;
  return ownStart(source, node);
};

const ownStart = (source: string, node: PlacedNode): number | undefined => {
  if (node.position === undefined) return undefined;
  switch (node.type) {
    case 'string':
      return startOfQuoted(source, node.position);
    case 'condition':
    case 'transform':
    case 'sort':
    case 'block':
    case 'lambda':
    case 'filter':
      return node.position - 1;
    default:
      return startOfToken(source, node.value, node.position);
  }
};

/** Where the text of an expression begins: of an operator with its left side, of a condition with its test. */
export const startOfText = (source: string, node: PlacedNode): number => {
  const { lhs, condition } = node;
  if (condition !== undefined) return startOfText(source, condition);
  const isOperator = typeof lhs === 'object' && lhs !== null && !Array.isArray(lhs);
  return isOperator ? startOfText(source, lhs) : (startOfNode(source, node) ?? 0);
};
