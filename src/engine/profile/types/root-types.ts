/** What the roots hold where an expression stands: by the contract, the profile, the carrier's schemas and its cases. */
import { Consignment } from '../../consignment/consignment.ts';
import { checkExpression } from '../../mapping/types/check-expression.ts';
import { shownType, valueType } from '../../mapping/types/sample-type.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import {
  ANY,
  anyObject,
  BOOLEAN,
  elementsOf,
  listOf,
  MISSING,
  NUMBER,
  objectOf,
  closedTexts,
  orMissing,
  TEXT,
  type Type,
  union,
  unionOf,
} from '../../mapping/types/type.ts';
import { type Root, seenIn } from '../../mapping/roots.ts';
import { parseExpression } from '../../mapping/expression.ts';
import { Failure } from '../../failure.ts';
import { once } from '../../value.ts';
import type { AccountField, OperationName, Step } from '../carrier.ts';
import type { Site } from '../compile/context.ts';
import type { LintInput } from '../lint/rule.ts';

const CONSIGNMENT = schemaType(Consignment, 'consignment');

/** What a profile declares of itself. */
const declaredObject = (name: string, fields: ReadonlyMap<string, Type>): Type =>
  objectOf(fields, { name, origin: 'declared' });

const FAULT = objectOf(
  { code: orMissing(TEXT), subcode: orMissing(TEXT), message: orMissing(TEXT), detail: ANY },
  { name: 'fault' },
);

export interface RootTypes {
  /** For one position; `own`: what stands there serves this carrier alone. */
  at(site: Site, own: boolean): ReadonlyMap<Root, Type>;
}

/** What itself depends on what the steps go through. */
const FROM_ELEMENTS: ReadonlySet<Root> = new Set(['item', 'items', 'steps']);

/** All of them are built when they are asked for, and once. */
export const rootTypesOf = once((input: LintInput): RootTypes => {
  const { carrier, evidence } = input;
  /** Of a base nothing is known that its heirs declare. */
  const declared = (type: () => Type): Type => (carrier.abstract ? ANY : type());
  const shipment = shipmentType(carrier.abstract ? undefined : carrier.memo);
  const answered = once((operation: OperationName | undefined) =>
    shownType(evidence.answers(operation), 'the answer’s body'),
  );
  const schemaOf = once((name: string) => {
    const schema = evidence.schema(name);
    return schema === undefined ? undefined : schemaType(schema, 'the body');
  });

  /** An answer as outcomes see it, or as what comes behind them does, when it was a good one. */
  const answer = (operation: OperationName | undefined, step: string | undefined, good: boolean) => {
    const given = step === undefined || !good ? undefined : schemaOf(`${step}.response`);
    const body = orMissing(given ?? answered(operation));
    return { status: NUMBER, headers: anyObject('headers'), body, text: TEXT, fault: orMissing(FAULT) };
  };

  const stepsType = (site: Site): Type => {
    const fields = new Map<string, Type>();
    for (const { name, steps } of Object.values(carrier.operations)) {
      if (site.operation !== undefined && name !== site.operation) continue;
      for (const step of steps) {
        const before = fields.get(step.id);
        const type = stepType(name, step, steps.length === 1 ? name : `${name}.${step.id}`);
        fields.set(step.id, before === undefined ? type : union(before, type));
      }
    }
    return declaredObject('steps', fields);
  };

  const stepType = (operation: OperationName, step: Step, name: string): Type => {
    const one = answer(operation, name, true);
    if (step.forEach === undefined) return orMissing(objectOf(one, { name: 'response' }));
    const forEach = { text: step.forEach.text, placeAt: () => step.place };
    const item = elementType({ position: 'request', operation, forEach });
    const more = step.batch === undefined ? { item } : { items: listOf(item) };
    return listOf(objectOf({ ...one, ...more }, { name: 'the answer' }));
  };

  /** What a step goes through, one by one. */
  const elementType = ({ operation, forEach }: Site): Type => {
    if (operation === 'track' && forEach === undefined)
      return elementsOf(shipment.object?.fields.get('packages') ?? ANY);
    // A look-up is asked with the item of the create.
    if (forEach === undefined) return operation === undefined || operation === 'lookup' ? ANY : MISSING;
    try {
      const site: Site = { position: 'request', ...(operation && { operation }) };
      const roots = rootsSeen(site, (root) => (FROM_ELEMENTS.has(root) ? ANY : types[root](site, false)));
      return elementsOf(
        checkExpression(parseExpression(forEach), forEach.text, { positions: ['request'], roots }).type,
      );
    } catch (thrown) {
      if (thrown instanceof Failure) return ANY;
      throw thrown;
    }
  };

  const requestBody = ({ position }: Site): Type =>
    position === 'signature' || position === 'signatureFormat'
      ? ANY
      : (schemaOf('webhook.request') ?? shownType(evidence.pushes(), 'the webhook’s body'));

  const types: Readonly<Record<Root, (site: Site, own: boolean) => Type>> = {
    consignment: () => CONSIGNMENT,
    service: (_, own) => serviceType(carrier, own && !carrier.abstract),
    shipment: () => shipment,
    item: elementType,
    items: (site) => {
      const element = elementType(site);
      return element.any === true || element === MISSING ? element : listOf(element);
    },
    index: () => NUMBER,
    settings: (_, own) => declared(() => fieldsType(carrier.settings, 'settings', own)),
    credentials: (_, own) => declared(() => fieldsType(carrier.credentials, 'credentials', own)),
    environment: () => declared(() => environmentType(carrier)),
    tables: () =>
      declared(() => {
        const fields = valueType(carrier.tables, 'tables').object?.fields ?? {};
        return objectOf(fields, { name: 'tables', origin: 'tables' });
      }),
    auths: () => declared(() => authsType(carrier)),
    steps: (site) => declared(() => stepsType(site)),
    response: (site) => {
      const isGood = site.position === 'result' || site.position === 'undo';
      return objectOf(answer(site.operation, lastStepOf(carrier, site), isGood), { name: 'response' });
    },
    request: (site) => requestType(requestBody(site)),
    webhook: () => objectOf({ url: TEXT }, { name: 'webhook' }),
    remark: () => orMissing(TEXT),
    now: () => TEXT,
    sentAt: () => TEXT,
    idempotencyKey: () => TEXT,
    token: () => TEXT,
    signature: () => TEXT,
  };
  return { at: (site, own) => rootsSeen(site, (root) => types[root](site, own)) };
}, new WeakMap());

const rootsSeen = ({ position }: Site, typeOf: (root: Root) => Type): ReadonlyMap<Root, Type> =>
  new Map([...seenIn([position])].map((root) => [root, typeOf(root)]));

const lastStepOf = (carrier: LintInput['carrier'], { step, operation, position }: Site): string | undefined => {
  if (position === 'undo') return step?.replace(/\.undo$/, '');
  if (step !== undefined || operation === undefined) return step;
  const steps = carrier.operations[operation]?.steps ?? [];
  return steps.length <= 1 ? operation : `${operation}.${steps.at(-1)?.id}`;
};

const shipmentType = (names: readonly string[] | undefined): Type => {
  const memo =
    names === undefined
      ? anyObject('memo')
      : objectOf(new Map(names.map((name) => [name, ANY])), { name: 'memo', origin: 'memo' });
  const one = objectOf({ itemReferenceNumber: TEXT, trackingNumber: orMissing(TEXT), memo }, { name: 'packages' });
  return objectOf({ trackingNumber: orMissing(TEXT), memo, packages: listOf(one) }, { name: 'shipment' });
};

const serviceType = ({ services }: LintInput['carrier'], own: boolean): Type => {
  const codes = [...(services?.values() ?? [])].map(({ code }) => code);
  const known = codes.filter((code) => code !== undefined);
  const code = !own || known.length === 0 ? TEXT : closedTexts(known);
  const isSure = services !== undefined && known.length === codes.length;
  const words = ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'];
  return objectOf(
    { name: TEXT, typeOfService: closedTexts(words), code: isSure ? code : orMissing(code), orders: listOf(TEXT) },
    { name: 'service' },
  );
};

const fieldsType = (fields: Readonly<Record<string, AccountField>>, name: string, own: boolean): Type =>
  declaredObject(name, new Map(Object.entries(fields).map(([key, field]) => [key, fieldType(field, own)])));

const fieldType = ({ type, oneOf, optional: mayLack, default: otherwise }: AccountField, own: boolean): Type => {
  const words = own ? oneOf?.filter((value) => typeof value === 'string') : undefined;
  const text = words === undefined ? TEXT : closedTexts(words);
  const held = type === 'number' ? NUMBER : type === 'boolean' ? BOOLEAN : text;
  return mayLack && otherwise === undefined ? orMissing(held) : held;
};

const environmentType = ({ environments }: LintInput['carrier']): Type => {
  const keys = Object.values(environments).flatMap(({ values }) => Object.keys(values));
  const fields = new Map<string, Type>(keys.map((key) => [key, ANY]));
  fields.set('name', closedTexts(['sandbox', 'production'])).set('url', TEXT);
  return declaredObject('environment', fields);
};

const authsType = ({ auths }: LintInput['carrier']): Type => {
  const types = Object.entries(auths).map(([name, auth]): readonly [string, Type] => {
    const saved = auth.kind === 'session' ? Object.keys(auth.save) : [];
    const fields = new Map<string, Type>([...saved.map((key) => [key, ANY] as const), ['token', TEXT]]);
    return [name, declaredObject(name, fields)];
  });
  return declaredObject('auths', new Map(types));
};

const requestType = (body: Type): Type => {
  const [query, headers] = [anyObject('query'), anyObject('headers')];
  const fields = { method: TEXT, url: TEXT, path: TEXT, query, headers, body: orMissing(body), text: TEXT };
  return objectOf(fields, { name: 'request' });
};

/** What the roots may hold in several positions that share an expression. */
export const joinRoots = (each: readonly ReadonlyMap<Root, Type>[]): ReadonlyMap<Root, Type> => {
  const roots = new Set(each.flatMap((map) => [...map.keys()]));
  return new Map([...roots].map((root) => [root, unionOf(each.flatMap((map) => map.get(root) ?? []))]));
};
