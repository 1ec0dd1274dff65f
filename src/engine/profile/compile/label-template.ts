/** The template of a label of our own: read, compiled once, and checked against the page that it is printed on. */
import { encodeBarcode, moduleDots } from '../../labels/barcode.ts';
import { Failure, withHelp } from '../../failure.ts';
import type { Carrier } from '../carrier.ts';
import { checkWhole } from '../check.ts';
import { type Element, labelTemplate, OWN_FORMATS, PAGES } from '../language/label-template.ts';
import { parseSource } from '../source.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { read } from './read.ts';

type Own = Pick<Carrier, 'labels' | 'labelTemplate'>;

/** With the formats that a label of our own has, and in the size that the profile wishes. */
export const compileLabels = (context: Context, labels: Carrier['labels']): Own => {
  const { profile, findings, files } = context;
  const written = (key: string): Node | undefined => valueOf(profile, 'labels', key);
  const named = written('template');
  if (labels.template === undefined || named === undefined) return { labels, labelTemplate: undefined };
  const formats = written('formats');
  const [best, ...others] =
    formats === undefined ? OWN_FORMATS : OWN_FORMATS.filter((one) => labels.formats.includes(one));
  if (formats !== undefined && best === undefined)
    findings.report('wrong-value', formats.place, 'a label of our own is PDF or ZPL, which none of these is');
  const fetched = valueOf(profile, 'operations', 'label');
  if (fetched !== undefined) {
    const help = 'remove the operation, or the template';
    findings.report('too-many', named.place, 'the carrier gives labels, by its operation label', help);
  }
  const own = best === undefined ? labels : { ...labels, formats: [best, ...others] as const };
  const file = `carriers/labels/${labels.template}.yaml`;
  const text = files.shared(file);
  if (text === undefined) {
    const help = 'write it, or name standard';
    findings.report('missing-file', named.place, `there is no ${file}`, help);
    return { labels: own, labelTemplate: undefined };
  }
  const { root, findings: parsed } = parseSource(file, text);
  for (const finding of parsed) findings.add(finding);
  if (root === undefined) return { labels: own, labelTemplate: undefined };
  checkWhole(root, labelTemplate, 'the template', findings);
  const template = read(context, labelTemplate, root, { position: 'label' });
  if (template === undefined) return { labels: own, labelTemplate: undefined };
  const size = labels.size ?? template.size;
  const nodes = itemsOf(valueOf(root, 'elements'));
  // Otherwise one is wrong in itself, and the places of the others are not theirs.
  if (nodes.length === template.elements.length)
    for (const [at, node] of nodes.entries()) checkElement(context, template.elements[at] as Element, node, size);
  return { labels: own, labelTemplate: { ...template, size } };
};

const checkElement = ({ findings }: Context, element: Element, node: Node, size: keyof typeof PAGES): void => {
  const page = PAGES[size];
  const { x, y, width, height, barcode, content, example } = element;
  const place = (key: string) => (valueOf(node, key) ?? node).place;
  const wrong = (key: string, message: string): void => findings.report('wrong-value', place(key), message);
  if (width === 0) wrong('width', 'an element needs a width');
  if (height === 0) wrong('height', 'an element needs a height');
  // As much as one would round.
  if (x + width > page.width + 0.05)
    wrong('x', `this ends at ${x + width} mm, and a label of ${size} at ${page.width}`);
  if (y + height > page.height + 0.05)
    wrong('y', `this ends at ${y + height} mm, and a label of ${size} at ${page.height}`);
  if (barcode === undefined) {
    for (const key of ['content', 'example', 'caption'])
      if (valueOf(node, key) !== undefined) wrong(key, `"${key}" is of a barcode`);
    return;
  }
  if (content === undefined) {
    findings.report('missing-key', node.place, 'a barcode needs "content"');
    return;
  }
  if (example === undefined) return;
  try {
    moduleDots(encodeBarcode(barcode, example), barcode === 'qr' ? Math.min(width, height) : width);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    wrong('example', withHelp(thrown));
  }
};
