import { messageOf } from '../../failure.ts';
import type { AccountField } from '../carrier.ts';
import { readBoolean, readNumber } from '../scalar-forms.ts';
import { entriesOf, itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { flagOf, textOf, wordOf } from './layers.ts';

type Value = string | number | boolean;
type FieldType = AccountField['type'];

/** `credentials` or `settings`: what an account has to supply. */
export const compileFields = (
  context: Context,
  profile: Node,
  section: 'credentials' | 'settings',
): Readonly<Record<string, AccountField>> =>
  Object.fromEntries(
    entriesOf(valueOf(profile, section)).map(({ key, value }) => {
      const field = compileField(context, value, key.text);
      if (field.secret && section === 'settings') {
        context.findings.error('secret-shown', key.place, `"${key.text}" is secret, so it belongs under credentials`);
      }
      return [key.text, { ...field, place: key.place }];
    }),
  );

const compileField = (context: Context, node: Node, name: string): AccountField => {
  const type: FieldType = wordOf(valueOf(node, 'type'), ['text', 'number', 'boolean']) ?? 'text';
  const typed = (key: string): Value | undefined => literalOf(context, valueOf(node, key), type);
  const choices = valueOf(node, 'oneOf');
  const field: AccountField = {
    place: node.place,
    type,
    secret: flagOf(valueOf(node, 'secret')) ?? false,
    pattern: compilePattern(context, valueOf(node, 'pattern')),
    oneOf:
      choices === undefined ? undefined : itemsOf(choices).flatMap((choice) => literalOf(context, choice, type) ?? []),
    optional: flagOf(valueOf(node, 'optional')) ?? false,
    default: typed('default'),
    example: typed('example'),
    title: textOf(valueOf(node, 'title')),
    fromRegister: textOf(valueOf(node, 'from')) === 'register',
  };
  for (const key of ['default', 'example'] as const) {
    const [value, at] = [field[key], valueOf(node, key)];
    const issue = value === undefined ? undefined : issueOf(field, value);
    if (issue !== undefined && at !== undefined) {
      context.findings.error('wrong-value', at.place, `the ${key} of ${name} ${issue}`);
    }
  }
  const written = valueOf(node, 'default');
  if (field.secret && written !== undefined) {
    context.findings.error(
      'secret-shown',
      written.place,
      'a secret has no default: it would stand here for all to read',
    );
  }
  const operations = valueOf(node, 'from');
  return operations === undefined ? field : { ...field, optional: true };
};

/** What is wrong with a value, as `must match …`; undefined when nothing is. */
export const issueOf = (field: AccountField, value: Value): string | undefined => {
  if (field.oneOf !== undefined && !field.oneOf.includes(value)) return `must be one of ${field.oneOf.join(', ')}`;
  if (field.pattern !== undefined && !field.pattern.test(String(value))) return `must match ${field.pattern.source}`;
  return undefined;
};

const literalOf = (context: Context, node: Node | undefined, type: FieldType): Value | undefined => {
  if (node?.kind !== 'scalar') return undefined;
  const value = type === 'text' ? node.text : type === 'number' ? readNumber(node) : readBoolean(node);
  if (value === undefined) {
    const wanted = type === 'number' ? 'a number' : 'true or false';
    context.findings.error(
      'wrong-value',
      node.place,
      `this has to be ${wanted}, not "${node.text.slice(0, 60)}"`,
      'without quotes',
    );
  }
  return value;
};

const compilePattern = (context: Context, node: Node | undefined): RegExp | undefined => {
  if (node?.kind !== 'scalar') return undefined;
  try {
    return new RegExp(node.text, 'u');
  } catch (thrown) {
    context.findings.error('wrong-value', node.place, `this is no regular expression: ${messageOf(thrown)}`);
    return undefined;
  }
};
