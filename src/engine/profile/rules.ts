/** All lint rules: findings are typed by this list, and docs/lint.md is generated from it. */

interface Explained {
  /** `either`: an error in a profile, a warning about a file beside it. */
  readonly severity: 'error' | 'warning' | 'either';
  readonly description: string;
  /** The finding can be waived by a comment. */
  readonly waivable?: true;
}

const error = (description: string) => ({ severity: 'error', description }) as const;
const waivableError = (description: string) => ({ severity: 'error', description, waivable: true }) as const;
const warning = (description: string) => ({ severity: 'warning', description, waivable: true }) as const;

export const RULES = {
  // The text.
  'yaml-syntax': error('The file is not valid YAML.'),
  'yaml-feature': error('The file has an anchor, alias, merge key, tag or second document, none of which is allowed.'),
  'repeated-key': error('A key occurs twice in one map.'),
  'unquoted-expression': error('YAML ended an expression at a comma, a bracket or ` #`. Quote it.'),
  'scalar-ambiguous': error('YAML 1.1, YAML 1.2 and JSON read this value differently. Quote it.'),
  empty: error('The file is empty.'),
  'too-large': error('The file exceeds the size limit of profiles and mappings.'),
  'too-deep': error('Maps and lists are nested too deeply.'),
  unreadable: error('The operating system cannot read the file.'),
  'unreadable-file': error('A file of a case cannot be read.'),
  'missing-file': error('A referenced file does not exist.'),
  // Keys and values.
  'unknown-key': error('A key is unknown.'),
  'missing-key': error('A required key is missing, or a list is empty.'),
  'too-many': error('There are several keys of which only one is allowed.'),
  'wrong-type': error('A map, list or text where another type is required.'),
  'wrong-value': error('A value that its key does not allow.'),
  'wrong-code': {
    severity: 'either',
    description: 'The file is not named after the carrier, policy, tariff or transit times that it holds.',
  },
  'unknown-status': error('A status that is not one of the normalised statuses.'),
  'unknown-auth': error('A name that `auths` does not declare.'),
  'repeated-id': error('Two steps of one operation have the same `id`.'),
  'missing-base': error('`extends` names a profile that does not exist.'),
  circle: error('Profiles extend each other in a cycle or in too long a chain, or an auth needs itself to log in.'),
  'mapping-path': error('An invalid mapping file name: it must be a path below the folder, without `..`.'),
  'missing-mapping': error('The mapping file exists neither in the profile’s folder nor in a base’s.'),
  // Expressions.
  'jsonata-syntax': error('The expression does not parse, or calls a function that mappings may not use.'),
  'unknown-root': error('A name that is not visible in this position, or not declared.'),
  'root-inside-path': error('A root is used without `$` inside a path: write `$settings.account`.'),
  'unknown-function': error('A function that does not exist.'),
  'undeclared-field': error('A setting, credential, environment key, auth or step that the profile does not declare.'),
  'undeclared-memo': error('A memo that is read or written without being declared.'),
  'undeclared-prefix': error('A namespace prefix of XML that nothing around it declares.'),
  'unknown-table': error('A look-up in a table that does not exist.'),
  'secret-shown': error('A secret in a value that is stored or displayed.'),
  'unknown-path': waivableError(
    'A path that does not exist in the contract, in a schema, or in the object it is read from.',
  ),
  'unshown-path': warning(
    'A path that occurs in none of the carrier’s recorded responses, although a similar one does.',
  ),
  'unshown-word': warning(
    'A key, code or part of a URL that occurs in none of the carrier’s cases, although a similar one does.',
  ),
  'wrong-arguments': error(
    'A call with too few or too many arguments, or with one written out that the function never takes.',
  ),
  'always-rejects': error(
    'A `$reject(…)` or `$error(…)` as an argument: it is called before the function that it is given to.',
  ),
  'impossible-comparison': waivableError('A comparison with text that the value can never equal.'),
  'unknown-country': warning('A comparison of a country with what is no code of ISO 3166-1 alpha-2.'),
  'unknown-field': warning('A field of `info` that differs by a letter from a documented one.'),
  'unknown-output': waivableError('A key that the output’s schema does not define.'),
  'wrong-output': waivableError('A value that the output’s schema does not allow.'),
  'missing-output': waivableError('An object without a key that the output’s schema requires.'),
  'costly-regex': error('A regular expression that no engine can run in bounded time.'),
  'text-not-expression': warning('Text that looks like an expression but is sent as written.'),
  'shadowed-function': warning('A variable that hides the function of the same name, which is then called.'),
  'number-as-index': warning(
    'A numeric field of the contract as the whole filter: it selects the element at that index.',
  ),
  'array-may-collapse': warning(
    'In a JSON body, a path that yields no array when there is only one element. Write `[ … ]`.',
  ),
  'sibling-order': warning(
    'An element of a list, or a value of a map, that assigns a variable. Whether its siblings see it is undefined.',
  ),
  // Tariffs and transit times.
  'unknown-zone': error('A zone that the file does not declare.'),
  'unknown-service': error('A service that the profile does not have.'),
  overlap: error('Zones, rows of a table or dates of which nothing says which one counts.'),
  gap: warning('A weight, a zone or days without a price, between others that have one.'),
  'falling-price': warning('A price that is lower than that of something lighter.'),
  // Policies.
  'unknown-carrier': error('A carrier that does not exist, or is only a base for others.'),
  'never-holds': waivableError('A filter that no order can pass.'),
  'unreachable-rule': warning('A rule, or a carrier in it, to which no order comes, because of an earlier one.'),
  'wrong-shares': error('Shares that do not add up to 100, or that some carriers lack.'),
  unpriced: warning('A carrier that is ranked by prices or days that are not known or cannot be compared.'),
  // Meaning.
  'reply-header': error('A header that a webhook’s reply may not set: one of browsers, proxies or the connection.'),
  'not-https': error('A URL without TLS: requests could be read or changed in transit.'),
  'fixed-host': warning(
    'A URL with the host of an environment: it goes there in every environment, and for an account with a `baseUrl` of its own.',
  ),
  'secret-in-file': waivableError('Something that looks like a secret, written into a file.'),
  'wrong-schema': error('A JSON Schema of the carrier cannot be read.'),
  unconfirmed: error('A suggestion that has not been confirmed yet.'),
  'dead-row': warning('A row of the status table that no status of this carrier can match.'),
  'lifecycle-gap': warning('A status table with a final status but no intermediate one.'),
  'missing-terminal': warning('A status table without a row for the delivery.'),
  'memo-like-kind': warning(
    'A memo named like one of the contract’s kinds of identifiers, so that no status of that `type` can refer to it.',
  ),
  'unknown-vas': warning(
    'A value-added service, offered or asked for, that neither the catalogue nor `vas` of the profile explains.',
  ),
  'ambiguous-row': error('Two rows of the status table that may match the same status equally well.'),
  'unreachable-outcome': warning('An outcome rule that can never match, because an earlier one always does.'),
  'too-few-calls': warning('A step that needs more calls for a large order than `limits.calls` allows.'),
  'no-effect': error(
    'A `lookup`, `undo` or `idempotency` where nothing ever asks for it, or a key of a policy that its `rank` does not use.',
  ),
  'missing-undo': warning('A step without `undo`, where what earlier steps did is undone.'),
  'open-webhook': error('A webhook that anyone may call.'),
  'environments-differ': error('A key that some environments lack.'),
  'key-never-sent': error('`idempotency: key`, but no request carries `${idempotencyKey}`.'),
  'auth-not-used': warning('An auth that is never used.'),
  'missing-expiry': warning('A session that does not state how long its token is valid.'),
  'no-create': warning('A carrier without the operation `create`: nothing can be dispatched to it.'),
  'bad-waiver': error('A waiver without a reason, or for a rule that does not exist or cannot be waived.'),
  'unused-waiver': warning('A waiver for a rule that finds nothing there.'),
  unused: warning(
    'A credential, setting, table, fragment, memo, file or offered value-added service that is never used.',
  ),
} as const satisfies Readonly<Record<string, Explained>>;

export type RuleName = keyof typeof RULES;
export const isRuleName = (name: string): name is RuleName => Object.hasOwn(RULES, name);
