import { Answer } from '../../consignment/answer.ts';
import { StatusUpdate } from '../../statuses/status-update.ts';
import type { Position } from '../../mapping/roots.ts';
import type { Output } from '../../mapping/types/output.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import { anyObject, listOf, type ObjectType, objectOf, orMissing, type Type, union } from '../../mapping/types/type.ts';
import type { OperationName } from '../carrier.ts';
import type { Site } from '../compile/context.ts';
import type { Evidence } from './evidence.ts';

const ANSWER = schemaType(Answer, 'the result');
const EVENTS = listOf(schemaType(StatusUpdate, 'the event'));

const lacking = (type: Type, field: string): Type => {
  const { object } = type;
  if (object === undefined) return type;
  const fields = new Map([...object.fields].map(([key, held]) => [key, key === field ? orMissing(held) : held]));
  return { ...type, object: { ...object, fields } satisfies ObjectType };
};

/** An answer that need not speak of packages: it brings one document for all. */
const ANSWER_OR_LABEL = union(lacking(ANSWER, 'itemsTrackDetails'), labelOf(ANSWER));

function labelOf(answer: Type): Type {
  const { missing: _, ...label } = answer.object?.fields.get('label') ?? {};
  return label;
}

const REGISTERED = objectOf(
  { credentials: orMissing(anyObject('credentials')), settings: orMissing(anyObject('settings')) },
  { name: 'the result' },
);

const RESULTS: Readonly<Partial<Record<OperationName, Type>>> = {
  create: ANSWER,
  update: ANSWER,
  lookup: orMissing(lacking(ANSWER, 'itemsTrackDetails')),
  label: ANSWER_OR_LABEL,
  track: EVENTS,
  register: REGISTERED,
};
const REQUESTS: ReadonlySet<Position> = new Set(['request', 'register', 'undo']);

/** What is to become of an expression's value; undefined where nothing is known of that. */
export const outputOf = ({ position, operation, codec, step }: Site, evidence: Evidence): Output | undefined => {
  const isResult = position === 'result' && operation !== undefined;
  const result = isResult ? RESULTS[operation] : position === 'events' ? EVENTS : undefined;
  if (result !== undefined) return { type: result, lenient: true };
  if (!REQUESTS.has(position) || codec === undefined || step === undefined) return undefined;
  const schema = evidence.schema(`${step}.request`);
  return schema === undefined ? undefined : { type: schemaType(schema, 'the body'), lenient: codec !== 'json' };
};
