/** Labels in the format that a request asks for, where its case shows them in another. */
import { SMALL } from '../replay/clean-body.ts';
import { type Document, leavesOf, mapLeaves } from './document.ts';

const LABELS = {
  PDF: { type: 'application/pdf', content: SMALL.PDF },
  ZPL: { type: 'application/zpl', content: SMALL.ZPL },
  PNG: { type: 'image/png', content: SMALL.PNG },
};
type Format = keyof typeof LABELS;
const FORMATS = Object.keys(LABELS) as Format[];

/** By how the path of its URL ends; a PDF unless it says otherwise. */
export const labelFor = (path: string): (typeof LABELS)[Format] =>
  LABELS[FORMATS.find((format) => path.toLowerCase().endsWith(`.${format.toLowerCase()}`)) ?? 'PDF'];

const named = (text: string): Format | undefined => FORMATS.find((format) => text.toUpperCase().includes(format));

const PLACE = /format|type|encod|output|image|printer|language|code/i;

/** The format of labels that a request asks for, and its word for it beside that of its case. */
export const formatAsked = (shown: unknown, came: unknown) => {
  const seen = new Map(leavesOf(shown).map(({ path, text }) => [path, text]));
  for (const { path, shape, text } of leavesOf(came)) {
    const to = /^\S{3,39}$/.test(text) && PLACE.test(shape.split('/').at(-1) ?? '') ? named(text) : undefined;
    if (to !== undefined) return { words: [seen.get(path) ?? text, text] as const, to };
  }
  return undefined;
};

/** The body with its labels in that format, and its name where the case names its own. */
export const inFormat = (body: Document, { words, to }: NonNullable<ReturnType<typeof formatAsked>>): Document => {
  const { content, type } = LABELS[to];
  const others = FORMATS.filter((format) => format !== to);
  if (Buffer.isBuffer(body.tree)) {
    const text = body.tree.toString('latin1');
    return others.some((from) => INSIDE[from].plain.test(text)) ? { kind: 'bytes', tree: content } : body;
  }
  const change = (text: string): string => {
    if (text === words[0]) return words[1];
    return others.reduce((changed, from) => {
      const { encoded, plain } = INSIDE[from];
      if (/^https?:/.test(changed))
        return changed.replace(new RegExp(`\\.${from}(?=$|\\?)`, 'i'), `.${to.toLowerCase()}`);
      return changed
        .replace(encoded, content.toString('base64'))
        .replace(plain, () => content.toString('latin1'))
        .replaceAll(LABELS[from].type, type)
        .replaceAll(`_${from}_`, `_${to}_`);
    }, text);
  };
  return { kind: body.kind, tree: mapLeaves(body.tree, change) };
};

/** A label as a part of a text, in base64 or as it is. */
const INSIDE: Readonly<Record<Format, { readonly encoded: RegExp; readonly plain: RegExp }>> = {
  PDF: { encoded: /JVBERi0[\w+/=]+/, plain: /%PDF-[\s\S]*?%%EOF\n?/ },
  ZPL: { encoded: /XlhB[\w+/=]+/, plain: /\^XA[\s\S]*?\^XZ/ },
  PNG: { encoded: /iVBORw0KGgo[\w+/=]+/, plain: /\u0089PNG[\s\S]*/ },
};
