import { Answer } from '../../consignment/answer.ts';
import { StatusUpdate } from '../../statuses/status-update.ts';
import type { Output } from '../../mapping/types/output.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import { anyObject, listOf, type ObjectType, objectOf, orMissing, type Type, union } from '../../mapping/types/type.ts';
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

/** What is to become of an expression's value; undefined where nothing is known of that. */
export const outputOf = (site: Site, evidence: Evidence): Output | undefined => {
  switch (site.position) {
    case 'events':
      return { type: EVENTS, lenient: true };
    case 'result':
      return resultOf(site);
    case 'request':
    case 'register':
    case 'undo':
      return requestOf(site, evidence);
    default:
      return undefined;
  }
};

const resultOf = ({ operation }: Site): Output | undefined => {
  switch (operation) {
    case 'create':
    case 'update':
      return { type: ANSWER, lenient: true };
    case 'lookup':
      return { type: orMissing(lacking(ANSWER, 'itemsTrackDetails')), lenient: true };
    case 'label':
      return { type: ANSWER_OR_LABEL, lenient: true };
    case 'track':
      return { type: EVENTS, lenient: true };
    case 'register':
      return { type: REGISTERED, lenient: true };
    default:
      return undefined;
  }
};

const REGISTERED = objectOf(
  { credentials: orMissing(anyObject('credentials')), settings: orMissing(anyObject('settings')) },
  { name: 'the result' },
);

const requestOf = ({ codec, step }: Site, evidence: Evidence): Output | undefined => {
  if (codec === undefined || step === undefined) return undefined;
  const schema = evidence.schema(`${step}.request`);
  return schema === undefined ? undefined : { type: schemaType(schema, 'the body'), lenient: codec !== 'json' };
};
