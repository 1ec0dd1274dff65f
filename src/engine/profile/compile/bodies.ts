import type { Body } from '../carrier.ts';
import { entriesOf, type Node, valueOf } from '../tree.ts';
import { compileMapping, compileText, type Context, type Site } from './context.ts';
import { textOf, wordOf } from './layers.ts';

const MAPPED = ['json', 'xml', 'form', 'multipart'] as const;

/** The body of a request, in the one codec it names. */
export const compileBody = (context: Context, node: Node | undefined, site: Site): Body | undefined => {
  for (const codec of MAPPED) {
    const content = valueOf(node, codec);
    if (content !== undefined) return { codec, content: compileMapping(context, content, { ...site, codec }) };
  }
  const text = valueOf(node, 'text');
  if (text !== undefined) return { codec: 'text', content: compileText(context, text, site, 'text') };
  const soap = valueOf(node, 'soap');
  return soap === undefined ? undefined : compileSoap(context, soap, { ...site, codec: 'soap' });
};

const compileSoap = (context: Context, node: Node, site: Site): Body | undefined => {
  const [action, header, content] = [valueOf(node, 'action'), valueOf(node, 'header'), valueOf(node, 'body')];
  if (content === undefined) return undefined;
  return {
    codec: 'soap',
    action: action === undefined ? undefined : compileText(context, action, site, 'header'),
    version: wordOf(valueOf(node, 'version'), ['1.1', '1.2']) ?? '1.1',
    namespaces: Object.fromEntries(
      entriesOf(valueOf(node, 'namespaces')).map((entry) => [entry.key.text, textOf(entry.value) ?? '']),
    ),
    header: header === undefined ? undefined : compileMapping(context, header, site),
    content: compileMapping(context, content, site),
  };
};
