/** What may be written at a place of an expression, and what a name there means: by the types that lint checks with. */
import { shipperFields } from '../../engine/consignment/shipper-field.ts';
import { standardNames, standardSignature } from '../../engine/jsonata/functions/library.ts';
import { type Ast, startOfNode } from '../../engine/jsonata/parse.ts';
import { LIBRARY } from '../../engine/mapping/functions/library.ts';
import { isRoot, ROOT_MEANINGS } from '../../engine/mapping/roots.ts';
import { checkExpression } from '../../engine/mapping/types/check-expression.ts';
import { kindsOf } from '../../engine/mapping/types/output.ts';
import { elementsOf, type Type } from '../../engine/mapping/types/type.ts';
import type { At } from '../../engine/mapping/types/type-walk.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import { expressionsOf } from '../../engine/profile/lint/expressions.ts';
import { lintInputOf } from '../../engine/profile/load.ts';
import { evidenceWithCases } from '../cases/evidence.ts';
import type { CaseFiles } from '../cases/read.ts';
import { type Draft, draftCaseFiles, draftHomes } from './draft.ts';
import type { Completion, Completions, Meaning } from './profile-hints.ts';

/** Stands where the name is that is completed. */
const PLACEHOLDER = 'nameAtTheCursor';
const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Of a mapping, what comes after the cursor may be anything: what is open is closed. */
const closed = (text: string): string => {
  const open: string[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[^]*?\*\/|[()[\]{}]/g)) {
    if (token in CLOSES) open.push(CLOSES[token] ?? '');
    else if (token.length === 1) open.pop();
  }
  return text + open.toReversed().join('');
};

/** A place in a file of a draft. */
export interface Asked {
  readonly draft: Draft;
  readonly path: string;
  readonly offset: number;
  readonly homes: Homes;
  readonly files: CaseFiles;
}

/** The name at a place, and what it is looked up in; undefined where no expression of the carrier that can be read has it. */
const seenAt = ({ draft, path, homes, files }: Asked, text: string, isIt: (node: Ast, at: number) => boolean) => {
  const edited: Draft = { ...draft, files: { ...draft.files, [path]: text } };
  const evidence = evidenceWithCases(draftCaseFiles(edited, files));
  const input = lintInputOf(draft.carrier, draftHomes(edited, homes), evidence);
  let found: At | undefined;
  for (const { source, tree, surrounding } of input === undefined ? [] : expressionsOf(input)) {
    if (source.placeAt(0).file !== path) continue;
    const lines = text.split('\n');
    checkExpression(tree, source.text, {
      ...surrounding,
      seen: (node, at) => {
        const { line, column } = source.placeAt(startOfNode(source.text, node) ?? 0);
        const offset = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, column - 1);
        if (isIt(node, offset)) found ??= at;
      },
    });
  }
  return found;
};

export const completeExpression = (asked: Asked, text: string): Completions | undefined => {
  const { path, offset } = asked;
  const before = text.slice(0, offset);
  const [word = ''] = /\$?\w*$/.exec(before) ?? [];
  const isVariable = word.startsWith('$');
  const from = offset - word.length;
  const isStep = before.charAt(from - 1) === '.';
  const put = `${text.slice(0, from)}${isVariable ? '$' : ''}${PLACEHOLDER}`;
  const tried = path.endsWith('.jsonata') ? [closed(put)] : [];
  for (const one of [...tried, put + text.slice(offset)]) {
    const seen = seenAt(asked, one, ({ value }) => value === PLACEHOLDER);
    if (seen === undefined) continue;
    if (!isVariable) return { from, options: [...fieldsOf(seen.context), ...(isStep ? [] : functions())] };
    const names = [...seen.names.keys()].map((name): Completion => ({ label: `$${name}`, kind: 'variable' }));
    return { from, options: [...names, ...functions()] };
  }
  return isVariable ? { from, options: functions() } : undefined;
};

const fieldsOf = (type: Type): readonly Completion[] => {
  const { object } = elementsOf(type);
  const fields = [...(object?.fields ?? [])];
  return fields.map(([label, field]) => ({
    label,
    kind: 'field',
    detail: typeName(field),
    info: isRoot(label) && object?.origin === 'document' ? ROOT_MEANINGS[label] : undefined,
  }));
};

const typeName = (type: Type): string =>
  `${kindsOf(type)}${type.missing === true && type.any !== true ? ', may be missing' : ''}`;

const functionInfo = (name: string): Pick<Completion, 'detail' | 'info'> => {
  const own = LIBRARY.get(name);
  if (own === undefined)
    return { detail: `$${name}${standardSignature(name)?.definition ?? ''}`, info: 'Of JSONata itself.' };
  const examples = own.examples.map(({ expression, result }) => `${expression} → ${JSON.stringify(result)}`);
  return { detail: own.usage, info: [own.doc, ...examples].join('\n') };
};

const functions = (): readonly Completion[] =>
  [...new Set([...LIBRARY.keys(), ...standardNames])].map((name) => ({
    label: `$${name}`,
    kind: 'function',
    ...functionInfo(name),
  }));

/** Of the name at a place. */
export const explainName = (asked: Asked, text: string): Meaning | undefined => {
  const { offset } = asked;
  const [before = ''] = /\$?\w*$/.exec(text.slice(0, offset)) ?? [];
  const [after = ''] = /^\w*/.exec(text.slice(offset)) ?? [];
  const word = before + after;
  if (!/^\$?[A-Za-z_]\w*$/.test(word)) return undefined;
  const [from, to] = [offset - before.length, offset + after.length];
  const name = word.replace(/^\$/, '');
  if (word !== name && (LIBRARY.has(name) || standardNames.has(name))) {
    const { detail = word, info = '' } = functionInfo(name);
    return { from, to, title: detail, text: info };
  }
  const seen = seenAt(asked, text, ({ value }, at) => value === name && at >= from - 1 && at <= to);
  if (seen === undefined) return undefined;
  const isOfDocument = word !== name || elementsOf(seen.context).object?.origin === 'document';
  if (isRoot(name) && isOfDocument) return { from, to, title: name, text: ROOT_MEANINGS[name] };
  const { object } = elementsOf(seen.context);
  const field = object?.fields.get(name) ?? seen.names.get(name);
  if (field === undefined) return undefined;
  const [shipper] = object?.name === 'consignment' ? shipperFields(`consignment.${name}`) : [];
  return {
    from,
    to,
    title: `${object === undefined ? '' : `${object.name}.`}${name}: ${typeName(field)}`,
    text: shipper === undefined ? '' : `The shipper writes it as ${shipper}.`,
  };
};
