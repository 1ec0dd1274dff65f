/** What the routes of the playground take and answer. */
import { type Static, Type } from 'typebox';
import { AUTHS } from '../workbench/scaffold/credentials.ts';
import { BODY_FORMATS } from '../workbench/scaffold/sample.ts';
import * as f from '../platform/api/query-fields.ts';

const TEXT_MAX = 400_000;
const FILES_MAX = 200;

const code = () =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    'x-must': 'be the code of a carrier: letters, digits, _ and -',
    examples: ['acme'],
  });
const path = () => f.filled(200, 'Below the home, such as `mappings/acme/create.jsonata`.');
const text = () => Type.String({ maxLength: TEXT_MAX });
const number = () => Type.Integer();
const place = { file: Type.String(), line: number(), column: number() };

export const CarrierPath = Type.Object({ code: code() });

const draft = {
  carrier: code(),
  files: Type.Record(Type.String({ maxLength: 200 }), text(), {
    description: 'Edited texts by their paths below the home; of all others those of the home count.',
    maxProperties: FILES_MAX,
  }),
};
export const Drafted = Type.Object(draft);
export const Tried = Type.Object({
  ...draft,
  case: Type.Optional(f.filled(200, 'A file in `fixtures/<carrier>/`, such as `create.yaml`.')),
});
export const Placed = Type.Object({
  ...draft,
  path: path(),
  offset: Type.Integer({ minimum: 0, description: 'In UTF-16 units.' }),
});
export const Begun = Type.Object({
  carrier: code(),
  samples: Type.Array(Type.Object({ name: f.filled(200), text: text() }), { maxItems: 50 }),
  name: Type.Optional(f.filled(200)),
  url: Type.Optional(f.filled(500, 'The production base URL.')),
  sandboxUrl: Type.Optional(f.filled(500)),
  auth: Type.Optional(Type.Enum([...AUTHS])),
  format: Type.Optional(Type.Enum([...BODY_FORMATS])),
});
export const Saved = Type.Object({
  carrier: code(),
  files: Type.Array(
    Type.Object({
      path: path(),
      text: text(),
      version: Type.Optional(Type.String({ maxLength: 64, description: 'As it was read; without one it is new.' })),
    }),
    { minItems: 1, maxItems: FILES_MAX },
  ),
});
export const Sent = Type.Object({
  ...draft,
  case: f.filled(200),
  account: Type.Integer({ minimum: 1, description: 'Of the sandbox.' }),
  dryRun: Type.Optional(Type.Boolean({ description: 'Says what would be done, and does nothing.' })),
});

export const Desk = Type.Object({
  mayBeSaved: Type.Boolean({ description: 'Whether this server saves profiles.' }),
  carriers: Type.Array(code(), { description: 'Those of the home, whether or not they load.' }),
});
const File = Type.Object({ path: Type.String(), text: Type.String(), version: Type.String() });
export const Files = Type.Object({ files: Type.Array(File) });
export const BegunFiles = Type.Object({
  files: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
  toConfirm: Type.Integer({ description: 'Guesses that are to be confirmed.' }),
  ignored: Type.Array(Type.String()),
  refuted: Type.Array(Type.String(), { description: 'In what the sample refutes what was made of it.' }),
});
export const Given = Type.Object({
  text: Type.String({ description: 'Its canonical form as YAML, people in it replaced by invented ones.' }),
});

const Finding = Type.Object({
  ...place,
  ...f.texts('rule', 'severity', 'message'),
  help: Type.Optional(Type.String()),
  fix: Type.Optional(Type.Object({ line: number(), column: number(), ...f.texts('old', 'text') })),
});
const Problem = Type.Object({
  ...place,
  message: Type.String(),
  differences: Type.Array(
    Type.Object({ path: Type.String(), expected: Type.Optional(Type.Unknown()), seen: Type.Optional(Type.Unknown()) }),
  ),
});
const Value = Type.Object({
  ...place,
  path: Type.String(),
  value: Type.Optional(Type.Unknown()),
  absent: Type.Optional(Type.String()),
  reads: Type.Array(Type.String()),
  shipper: Type.Array(Type.String()),
});
const Rule = Type.Object({ ...place, do: Type.String(), matched: Type.Boolean(), why: Type.String() });
const Exchange = Type.Object({
  ...f.texts('operation', 'step', 'outcome'),
  ...f.optionalTexts('method', 'url', 'message'),
  status: Type.Optional(number()),
  values: Type.Array(Value),
  rules: Type.Array(Rule),
});
const Event = Type.Object({
  ...f.texts('status', 'occurredAt', 'carrierStatus'),
  ...f.optionalTexts('value', 'reason', 'row', 'file'),
  line: Type.Optional(number()),
  column: Type.Optional(number()),
  warnings: Type.Array(Type.String()),
});
const Step = Type.Object({
  do: Type.String(),
  outcome: Type.String(),
  problem: Type.Optional(Type.String()),
  result: Type.Optional(Type.Unknown()),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  events: Type.Array(Type.Unknown()),
});
const Request = Type.Object({
  ...f.texts('method', 'url', 'body'),
  headers: Type.Record(Type.String(), Type.String()),
});
const Ended = Type.Object({
  ...f.texts('operation', 'outcome', 'code'),
  messages: Type.Array(Type.String()),
  path: Type.Optional(Type.String()),
});
const Played = Type.Object({
  title: Type.String(),
  actions: Type.Array(Type.String(), { description: 'Of its steps, such as `create`.' }),
  consignment: Type.Optional(Type.Unknown()),
  problems: Type.Array(Problem),
  sent: Type.Array(Request, { description: 'As it would go over the wire, with the account of the case.' }),
  steps: Type.Array(Step),
  exchanges: Type.Array(Exchange),
  results: Type.Array(Value),
  events: Type.Array(Event),
  ended: Type.Array(Ended),
});
const Missed = Type.Object({ ...place, ...f.texts('kind', 'what') });
export const TryReply = Type.Object({ findings: Type.Array(Finding), played: Type.Optional(Played) });
export type TryReply = Static<typeof TryReply>;
export const LintReply = Type.Object({ findings: Type.Array(Finding) });
export type LintReply = Static<typeof LintReply>;
export const CoverReply = Type.Object({
  cases: Type.Array(
    Type.Object({ ...f.texts('name', 'title'), passed: Type.Boolean(), problems: Type.Array(Problem) }),
  ),
  coverage: Type.Optional(Type.Object({ percent: Type.Number(), total: number(), missed: Type.Array(Missed) })),
});
export type CoverReply = Static<typeof CoverReply>;

export const CompleteReply = Type.Object({
  from: Type.Optional(number()),
  options: Type.Array(Type.Object({ label: Type.String(), kind: Type.String(), ...f.optionalTexts('detail', 'info') })),
});
export type CompleteReply = Static<typeof CompleteReply>;
export const ExplainReply = Type.Partial(
  Type.Object({ from: number(), to: number(), title: Type.String(), text: Type.String() }),
);
export type ExplainReply = Static<typeof ExplainReply>;
export const SaveReply = Type.Object({ saved: Type.Array(Type.Object(f.texts('path', 'version'))) });
export type SaveReply = Static<typeof SaveReply>;
export const SendReply = Type.Object({
  ...f.texts('shipper', 'environment'),
  account: number(),
  dryRun: Type.Boolean(),
  baseUrl: Type.Optional(Type.String({ description: 'Of the account: it replaces that of the profile.' })),
  would: Type.Array(Type.String(), { description: 'The requests, as the case shows them.' }),
  outcome: Type.Optional(Type.String()),
  problem: Type.Optional(Type.String()),
  result: Type.Optional(Type.Unknown()),
  asked: Type.Optional(
    Type.Array(
      Type.Object({
        ...f.texts('method', 'url', 'outcome'),
        status: Type.Optional(number()),
        message: Type.Optional(Type.String()),
      }),
    ),
  ),
});
export type SendReply = Static<typeof SendReply>;
export type BegunFiles = Static<typeof BegunFiles>;
export type Desk = Static<typeof Desk>;
export type Files = Static<typeof Files>;
