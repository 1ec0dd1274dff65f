import { valueIssue } from '../account.ts';
import type { AccountField } from '../carrier.ts';
import { accountField } from '../language/profile.ts';
import { entriesOf, type Node, type ScalarNode, valueOf, readBoolean, readNumber } from '../tree.ts';
import type { Context } from './context.ts';
import { read } from './read.ts';

type Value = string | number | boolean;

/** `credentials` or `settings`: what an account has to supply. */
export const compileFields = (
  context: Context,
  section: 'credentials' | 'settings',
): Readonly<Record<string, AccountField>> =>
  Object.fromEntries(
    entriesOf(valueOf(context.profile, section)).flatMap(({ key, value }) => {
      const field = compileField(context, value, key);
      if (field?.secret === true && section === 'settings') {
        context.findings.report('secret-shown', key.place, `"${key.text}" is secret, so it belongs under credentials`);
      }
      return field === undefined ? [] : [[key.text, field]];
    }),
  );

const compileField = (context: Context, node: Node, { text: name, place }: ScalarNode): AccountField | undefined => {
  const keys = read(context, accountField, node, { position: 'environments' });
  if (keys === undefined) return undefined;
  const { findings } = context;
  const typed = (literal: ScalarNode | undefined): Value | undefined => {
    if (literal === undefined) return undefined;
    const value =
      keys.type === 'text' ? literal.text : keys.type === 'number' ? readNumber(literal) : readBoolean(literal);
    if (value === undefined) {
      const wanted = keys.type === 'number' ? 'a number' : 'true or false';
      const message = `this must be ${wanted}, not "${literal.text.slice(0, 60)}"`;
      findings.report('wrong-value', literal.place, message, 'without quotes');
    }
    return value;
  };
  const { from, ...rest } = keys;
  const field: AccountField = {
    ...rest,
    place,
    optional: keys.optional || from !== undefined,
    oneOf: keys.oneOf?.flatMap((choice) => typed(choice) ?? []),
    default: typed(keys.default),
    example: typed(keys.example),
    fromRegister: from !== undefined,
  };
  for (const key of ['default', 'example'] as const) {
    const [value, at] = [field[key], keys[key]?.place];
    const issue = value === undefined ? undefined : valueIssue(field, value);
    if (issue !== undefined && at !== undefined) {
      findings.report('wrong-value', at, `the ${key} of ${name} ${issue}`);
    }
  }
  if (field.secret && keys.default !== undefined) {
    const message = 'a secret cannot have a default, which anyone could read here';
    findings.report('secret-shown', keys.default.place, message);
  }
  return field;
};
