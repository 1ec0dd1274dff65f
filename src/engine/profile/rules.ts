/** Every rule a finding may name, each said in one line: the only list, by which findings are typed and documented. */

interface Explained {
  /** `either`: an error in a profile, a warning about a file beside it. */
  readonly severity: 'error' | 'warning' | 'either';
  readonly description: string;
  /** A comment on the line may take the finding away. */
  readonly waivable?: true;
}

const error = (description: string) => ({ severity: 'error', description }) as const;
const waivableError = (description: string) => ({ severity: 'error', description, waivable: true }) as const;
const warning = (description: string) => ({ severity: 'warning', description, waivable: true }) as const;

export const RULES = {
  // The text.
  'yaml-syntax': error('The file is no YAML.'),
  'yaml-feature': error('An anchor, alias, merge key, tag or second document: none of them is allowed.'),
  'repeated-key': error('A key stands twice in one map.'),
  'unquoted-expression': error('YAML cut an expression short at a comma, a bracket or ` #`: quote it.'),
  'scalar-ambiguous': error('YAML 1.1, YAML 1.2 and JSON do not read this value alike: quote it.'),
  empty: error('The file is empty.'),
  'too-large': error('The file is larger than a profile or mapping may be.'),
  'too-deep': error('Maps and lists are nested too deeply.'),
  unreadable: error('The system does not let us read the file.'),
  'unreadable-file': error('A file of a case cannot be read.'),
  'missing-file': error('A file that is named is not there.'),
  // Keys and values.
  'unknown-key': error('A key that is not known there.'),
  'missing-key': error('A key that is needed is not there, or a list is empty.'),
  'too-many': error('Keys of which only one may stand.'),
  'wrong-type': error('A map, a list or a text where another form is needed.'),
  'wrong-value': error('A value that its key cannot have.'),
  'wrong-code': {
    severity: 'either',
    description: 'The file is not named after its carrier’s code, so it is not read.',
  },
  'unknown-status': error('A status that is none of the normalised ones.'),
  'unknown-auth': error('A name that `auths` does not declare.'),
  'repeated-id': error('Two steps of one operation have the same `id`.'),
  'missing-base': error('`extends` names a profile that is not there.'),
  circle: error(
    'Profiles that extend each other in a circle or too long a chain, or an auth that needs itself to log in.',
  ),
  'mapping-path': error('This is no name of a mapping file: a name below the folder, without `..`.'),
  'missing-mapping': error('The mapping file is neither in the profile’s folder nor in a base’s.'),
  // Expressions.
  'jsonata-syntax': error('The expression does not parse, or calls what mappings may not.'),
  'unknown-root': error('A name that this position does not see, or that nobody declares.'),
  'root-inside-path': error('Inside a path the root needs its `$`: `$settings.account`.'),
  'unknown-function': error('A function that is not there.'),
  'undeclared-field': error('A setting, credential, environment key, auth or step that the profile does not declare.'),
  'undeclared-memo': error('A memo that is read or written without being declared.'),
  'unknown-table': error('A look-up in a table that is not there.'),
  'secret-shown': error('A secret where what is kept or shown would hold it.'),
  'unknown-path': waivableError('A path that the contract, a schema, or the object it looks into does not have.'),
  'unshown-path': warning('A path that no case shows in the carrier’s answers, where one like it is shown.'),
  'wrong-arguments': error('A call with fewer or more arguments than the function takes.'),
  'impossible-comparison': waivableError('A comparison with a text that the value can never be.'),
  'unknown-output': waivableError('A key that the output’s schema does not have.'),
  'wrong-output': waivableError('A value that the output’s schema cannot hold.'),
  'missing-output': waivableError('An object without a key that the output’s schema needs.'),
  'costly-regex': warning('A regular expression that can take very long on some texts.'),
  'text-not-expression': warning('A text that looks like an expression, but is sent as it is written.'),
  'shadowed-function': warning(
    'A variable with the name of a function, which is called where only the variable is seen.',
  ),
  'number-as-index': warning(
    'A field of the contract alone as a filter: as it is a number, it takes the element in that place.',
  ),
  'array-may-collapse': warning(
    'In a JSON body, a path that yields no array when there is one element: write `[ … ]`.',
  ),
  'sibling-order': warning(
    'An element of a list, or a value of a map, that assigns a variable: whether those beside it see it is left open.',
  ),
  // What cannot be meant.
  'not-https': error('A URL without TLS: what is sent there could be read and changed on its way.'),
  'secret-in-file': waivableError('What looks like a secret, written into a file.'),
  'wrong-schema': error('A schema of the carrier’s that cannot be read.'),
  unconfirmed: error('A suggestion that nobody has confirmed yet.'),
  'dead-row': warning('A row of the status table that no status of this carrier can match.'),
  'lifecycle-gap': warning('A status table that comes to an end without a status of the way there.'),
  'missing-terminal': warning('A status table by which nothing is ever delivered.'),
  'memo-like-kind': warning('A memo named like a kind of the contract: a status of that `type` never finds it.'),
  'ambiguous-row': error('Two rows of the status table that may match one status and tie.'),
  'unreachable-outcome': warning('A rule of outcomes that an earlier one always answers first.'),
  'open-webhook': error('A webhook that anybody may call.'),
  'environments-differ': error('A key that one environment has and another has not.'),
  'key-never-sent': error('`idempotency: key`, but no request carries `${idempotencyKey}`.'),
  'auth-not-used': warning('An auth that nothing names.'),
  'missing-expiry': warning('A session that does not say how long its token lives.'),
  'no-create': warning('A carrier without the operation create: nothing can be dispatched to it.'),
  'bad-waiver': error('A waiver without a reason, or of a rule that is not there or cannot be waived.'),
  'unused-waiver': warning('A waiver where its rule finds nothing.'),
  unused: warning('A credential, setting, table, memo or mapping file that nothing uses.'),
} as const satisfies Readonly<Record<string, Explained>>;

export type RuleName = keyof typeof RULES;
export const isRuleName = (name: string): name is RuleName => Object.hasOwn(RULES, name);
