/** Labels in the format that a request asks for, where its case shows them in another. */
import { type Document, leavesOf, mapLeaves } from './document.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

const LABELS = {
  PDF: { type: 'application/pdf', content: Buffer.from('%PDF-1.4\n%%EOF\n') },
  ZPL: { type: 'application/zpl', content: Buffer.from('^XA^FDExample^FS^XZ') },
  PNG: { type: 'image/png', content: Buffer.from(PNG, 'base64') },
};
type Format = keyof typeof LABELS;
const FORMATS = Object.keys(LABELS) as Format[];

/** By how the path of its URL ends; a PDF unless it says otherwise. */
export const labelFor = (path: string): (typeof LABELS)[Format] =>
  LABELS[FORMATS.find((format) => path.toLowerCase().endsWith(`.${format.toLowerCase()}`)) ?? 'PDF'];

const named = (text: string): Format | undefined => FORMATS.find((format) => text.toUpperCase().includes(format));

/** The one place where a request asks for another format than its case: the words there, and the formats. */
export const otherFormat = (shown: unknown, came: unknown) => {
  const seen = new Map(leavesOf(came).map(({ path, text }) => [path, text]));
  for (const { path, text } of leavesOf(shown)) {
    const other = seen.get(path) ?? '';
    const [from, to] = [named(text), named(other)];
    if (text.length < 40 && from !== undefined && to !== undefined && from !== to)
      return { words: [text, other] as const, from, to };
  }
  return undefined;
};

/** The body with labels of the other format, and its name where the case names its own. */
export const inFormat = (
  body: Document,
  { words, from, to }: NonNullable<ReturnType<typeof otherFormat>>,
): Document => {
  const { content } = LABELS[to];
  if (Buffer.isBuffer(body.tree))
    return INSIDE[from].plain.test(body.tree.toString('latin1')) ? { kind: 'bytes', tree: content } : body;
  const change = (text: string): string => {
    if (text === words[0]) return words[1];
    if (/^https?:/.test(text)) return text.replace(new RegExp(`\\.${from}(?=$|\\?)`, 'i'), `.${to.toLowerCase()}`);
    return text
      .replace(INSIDE[from].encoded, content.toString('base64'))
      .replace(INSIDE[from].plain, () => content.toString('latin1'))
      .replaceAll(LABELS[from].type, LABELS[to].type)
      .replaceAll(`_${from}_`, `_${to}_`);
  };
  return { kind: body.kind, tree: mapLeaves(body.tree, change) };
};

/** A label as a part of a text, in base64 or as it is. */
const INSIDE: Readonly<Record<Format, { readonly encoded: RegExp; readonly plain: RegExp }>> = {
  PDF: { encoded: /JVBERi0[\w+/=]+/, plain: /%PDF-[\s\S]*?%%EOF\n?/ },
  ZPL: { encoded: /XlhB[\w+/=]+/, plain: /\^XA[\s\S]*?\^XZ/ },
  PNG: { encoded: /iVBORw0KGgo[\w+/=]+/, plain: /\u0089PNG[\s\S]*/ },
};
