/** What a mapping yielded, value by value: of what each is made, and why one is not there. */
import { shipperFields } from '../../engine/consignment/shipper-field.ts';
import { maskOf } from '../../engine/dispatch/exchange.ts';
import type { Account } from '../../engine/dispatch/ports.ts';
import { formatPlace, type Place } from '../../engine/failure.ts';
import { isGap } from '../../engine/jsonata/trace-result.ts';
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { hideNamed, isSensitiveHeader } from '../../engine/transport/masking.ts';
import { mapTexts, valueAt, type ValuePath } from '../../engine/value.ts';
import type { Note } from './watch.ts';

/** One value: the expression that yields it, the fields that it is made of, and what the shipper wrote for those. */
export interface ExplainedValue extends Place {
  /** As `body.receiver.name`, `url`, `headers.X-Key`. */
  readonly path: string;
  /** undefined: it is absent. */
  readonly value?: unknown;
  /** Why it is absent. */
  readonly absent?: string;
  readonly reads: readonly string[];
  readonly shipper: readonly string[];
}

type Fields = Evaluation['trace']['fields'][number];

/** `nulls`: what becomes of a null there. */
export interface Slot {
  readonly label: ValuePath;
  readonly nulls: 'sent' | 'left out';
}

/** Values as people may see them: of what is secret, or made of it, no more than where it comes from. */
export const valueExplainer = (carrier: Carrier, account: Account) => {
  const mask = maskOf(carrier, account);
  const shown = (value: unknown): unknown => mapTexts(value, (text) => hideNamed(mask.text(text)));
  const isSecret = secretPaths(carrier);

  const explainField = (field: Fields, { source }: Evaluation, slot: Slot, { consignment }: Note): ExplainedValue => {
    const { path, origin, under } = field;
    const { label, nulls } = slot;
    const isHidden =
      label[0] === 'auth' ||
      isSensitiveHeader(String([...label, ...path].at(-1))) ||
      [...origin.reads, ...under].some(isSecret);
    // A name that is not written out may be made of the secret itself.
    const named = path.map((name) =>
      isHidden && typeof name === 'string' && !source.text.includes(name) ? HIDDEN : name,
    );
    const common = {
      path: mask.text([...label, ...named].join('.')),
      ...source.placeAt(origin.at),
      reads: origin.reads,
      shipper: shippersOf(origin.reads, consignment),
    };
    if (isGap(field)) return { ...common, absent: whyAbsent(field, source, consignment) };
    if (field.value === null && nulls === 'left out') return { ...common, absent: 'it is null, which is left out' };
    return { ...common, value: isHidden ? HIDDEN : shown(field.value) };
  };

  const constant = (text: unknown, path: ValuePath, place: Place): ExplainedValue => ({
    path: path.join('.'),
    value: shown(text),
    ...place,
    reads: [],
    shipper: [],
  });

  return {
    shown,
    /** In the order of the profile. */
    explain: (note: Note, { label, nulls }: Slot): readonly ExplainedValue[] => {
      const { mapping, evaluations, value } = note;
      const ofEvaluation = (one: Evaluation, at: ValuePath): readonly ExplainedValue[] =>
        one.trace.fields.map((field) => explainField(field, one, { label: at, nulls }, note));
      if (mapping.parts === undefined) {
        if (mapping.constant) return label[0] === 'url' ? [] : [constant(value, label, mapping.place)];
        return evaluations.flatMap((one) => ofEvaluation(one, label));
      }
      return mapping.parts.flatMap((part) => {
        const path = [...label, ...part.path];
        const own = evaluations.filter(({ source }) => holds(part, source.placeAt(0)));
        if (own.length === 0)
          return [constant(valueAt(value, ...part.path.map(String)) ?? part.text, path, part.place)];
        return own.flatMap((one) => ofEvaluation(one, path));
      });
    },
    /** Where a mapping broke off, and of what that is made. */
    explainEnd: (note: Note, label: ValuePath): Omit<ExplainedValue, 'value' | 'absent'> => {
      const { evaluations, mapping, consignment } = note;
      const broken = evaluations.find(({ trace }) => trace.ended !== undefined);
      const last = broken ?? evaluations.at(-1);
      const { at, path, reads } = broken?.trace.ended ?? { at: 0, path: [], reads: last?.trace.reads ?? [] };
      const part = mapping.parts?.find((one) => last !== undefined && holds(one, last.source.placeAt(0)));
      return {
        path: [...label, ...(part?.path ?? []), ...path].join('.'),
        ...(last === undefined ? mapping.place : last.source.placeAt(at)),
        reads,
        shipper: shippersOf(reads, consignment),
      };
    },
  };
};
export type Explainer = ReturnType<typeof valueExplainer>;

const HIDDEN = '***';

/** What the shipper wrote for these, a service among them. */
const shippersOf = (reads: readonly string[], consignment: unknown): readonly string[] => {
  const fieldsOf = (path: string) =>
    /^service\b/.test(path) ? ['consignmentDetails.serviceType'] : shipperFields(path, consignment);
  return [...new Set(reads.flatMap(fieldsOf))];
};

/** Which fields hold a secret, or may. */
const secretPaths = ({ credentials, environments }: Carrier) => {
  const made = Object.values(environments).flatMap(({ url, values }) =>
    Object.entries({ ...values, url }).flatMap(([name, { text }]) => (/\bcredentials\b/.test(text) ? [name] : [])),
  );
  return (path: string): boolean => {
    const [root = '', name = '', ...rest] = path.split('.');
    if (root === 'credentials') return credentials[name]?.secret !== false;
    if (root === 'environment' && (name === '' || made.includes(name))) return made.length > 0;
    if (root === 'auths' || root === 'token' || root === 'signature') return true;
    return isSensitiveHeader(rest.at(-1) ?? name);
  };
};

const holds = ({ place: start, text }: { readonly place: Place; readonly text: string }, place: Place): boolean => {
  if (start.file !== place.file) return false;
  const lines = text.split('\n');
  const line = place.line - start.line;
  if (line < 0 || line >= lines.length) return false;
  return line > 0 || (place.column >= start.column && place.column <= start.column + (lines[0]?.length ?? 0) + 1);
};

const whyAbsent = (
  { was, missing, unheld }: Extract<Fields, { was: unknown }>,
  source: Evaluation['source'],
  consignment: unknown,
): string => {
  const lacking = missing.map((path) => {
    const [field] = shippersOf([path], consignment);
    return `${path}${field === undefined || field === path ? '' : ` (${field})`}`;
  });
  const why = lacking.length === 0 ? '' : `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} missing`;
  if (unheld !== undefined && was === undefined) {
    const condition = `the condition at ${formatPlace(source.placeAt(unheld))} does not hold`;
    return why === '' ? condition : `${condition}: ${why}`;
  }
  if (why !== '') return why;
  if (was === undefined) return 'its expression yields nothing';
  const empty = was === null || was === '' || (typeof was === 'object' && Object.keys(was).length === 0);
  return empty
    ? `it is ${was === null ? 'null' : 'empty'}, and a function leaves that out`
    : 'a function leaves it out';
};
