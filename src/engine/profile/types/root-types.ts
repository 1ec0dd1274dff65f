/** What the roots hold where an expression stands: by the contract, the profile, the carrier's schemas and its cases. */
import { Consignment } from '../../consignment/consignment.ts';
import { checkExpression } from '../../mapping/types/check-expression.ts';
import { shownType, valueType } from '../../mapping/types/sample-type.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import {
  ANY,
  anyObject,
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
import type { AccountField, OperationName, Step } from '../carrier.ts';
import type { Site } from '../compile/context.ts';
import type { LintInput } from '../lint/rule.ts';
import { once } from './evidence.ts';

const CONSIGNMENT = schemaType(Consignment, 'consignment');

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
export const rootTypesOf = (input: LintInput): RootTypes => {
  const types = known.get(input) ?? buildRootTypes(input);
  known.set(input, types);
  return types;
};

const known = new WeakMap<LintInput, RootTypes>();

const buildRootTypes = (input: LintInput): RootTypes => {
  const { carrier, evidence } = input;
  const isOpen = carrier.abstract;

  const answered = once((operation: OperationName | undefined) =>
    shownType(evidence.answers(operation), 'the answer’s body'),
  );
  const schemaOf = once((name: string) => {
    const schema = evidence.schema(name);
    return schema === undefined ? undefined : schemaType(schema, 'the body');
  });
  const shipment = shipmentType(isOpen ? undefined : carrier.memo);
  const tables = isOpen
    ? ANY
    : objectOf(valueType(carrier.tables, 'tables').object?.fields ?? {}, { name: 'tables', origin: 'tables' });

  /** An answer as outcomes see it, or as what comes behind them does, when it was a good one. */
  const answer = (site: Pick<Site, 'operation'>, step: string | undefined, good: boolean): Type => {
    const given = step === undefined || !good ? undefined : schemaOf(`${step}.response`);
    const body = given ?? answered(site.operation);
    return objectOf(
      { status: NUMBER, headers: anyObject('headers'), body: orMissing(body), text: TEXT, fault: orMissing(FAULT) },
      { name: 'response' },
    );
  };

  const stepsType = ({ operation }: Site): Type => {
    if (isOpen) return ANY;
    const named = Object.entries(carrier.operations).filter(([name]) => operation === undefined || name === operation);
    const fields = new Map<string, Type>();
    for (const [name, each] of named) {
      for (const step of each.steps) {
        const before = fields.get(step.id);
        const type = stepType(name as OperationName, step, each.steps.length);
        fields.set(step.id, before === undefined ? type : union(before, type));
      }
    }
    return objectOf(fields, { name: 'steps', origin: 'declared' });
  };

  const stepType = (operation: OperationName, step: Step, steps: number): Type => {
    const name = steps === 1 ? operation : `${operation}.${step.id}`;
    const one = answer({ operation }, name, true);
    if (step.forEach === undefined) return orMissing(one);
    const item = elementType({
      position: 'request',
      operation,
      forEach: { text: step.forEach.text, placeAt: () => step.place },
    });
    const more = step.batch === undefined ? { item } : { items: listOf(item) };
    return listOf({
      object: {
        ...(one.object as NonNullable<Type['object']>),
        name: 'the answer',
        fields: new Map([...(one.object?.fields ?? []), ...Object.entries(more)]),
      },
    });
  };

  /** What a step goes through, one by one. */
  const elementType = (site: Site): Type => {
    if (site.operation === 'track' && site.forEach === undefined) return elementsOf(packagesOf(shipment));
    // A look-up is asked with the item of the create.
    if (site.forEach === undefined) return site.operation === undefined || site.operation === 'lookup' ? ANY : MISSING;
    const { text } = site.forEach;
    try {
      const roots = rootsSeen({ position: 'request', operation: site.operation } as Site, false, true);
      return elementsOf(checkExpression(parseExpression(site.forEach), text, { positions: ['request'], roots }).type);
    } catch (thrown) {
      if (thrown instanceof Failure) return ANY;
      throw thrown;
    }
  };

  const typeOf = (root: Root, site: Site, own: boolean): Type => {
    switch (root) {
      case 'consignment':
        return CONSIGNMENT;
      case 'service':
        return serviceType(carrier, own && !isOpen);
      case 'shipment':
        return shipment;
      case 'item':
        return elementType(site);
      case 'items': {
        const element = elementType(site);
        return element.any === true || element === MISSING ? element : listOf(element);
      }
      case 'index':
        return NUMBER;
      case 'settings':
      case 'credentials':
        return isOpen ? ANY : fieldsType(carrier[root], root, own);
      case 'environment':
        return isOpen ? ANY : environmentType(carrier);
      case 'tables':
        return tables;
      case 'auths':
        return isOpen ? ANY : authsType(carrier);
      case 'steps':
        return stepsType(site);
      case 'response':
        return answer(site, lastStepOf(carrier, site), site.position === 'result' || site.position === 'undo');
      case 'request': {
        const body =
          site.position === 'signature' || site.position === 'signatureFormat'
            ? ANY
            : (schemaOf('webhook.request') ?? shownType(evidence.pushes(), 'the webhook’s body'));
        return requestType(body);
      }
      case 'webhook':
        return objectOf({ url: TEXT }, { name: 'webhook' });
      case 'remark':
        return orMissing(TEXT);
      case 'now':
      case 'sentAt':
      case 'idempotencyKey':
      case 'token':
      case 'signature':
        return TEXT;
    }
  };

  const rootsSeen = (site: Site, own: boolean, beforeElements = false): Map<Root, Type> => {
    const roots = new Map<Root, Type>();
    for (const root of seenIn([site.position])) {
      roots.set(root, beforeElements && FROM_ELEMENTS.has(root) ? ANY : typeOf(root, site, own));
    }
    return roots;
  };
  return { at: (site, own) => rootsSeen(site, own) };
};

const lastStepOf = (carrier: LintInput['carrier'], { step, operation, position }: Site): string | undefined => {
  if (position === 'undo') return step?.replace(/\.undo$/, '');
  if (step !== undefined || operation === undefined) return step;
  const steps = carrier.operations[operation]?.steps ?? [];
  return steps.length <= 1 ? operation : `${operation}.${steps.at(-1)?.id}`;
};

const packagesOf = (shipment: Type): Type => shipment.object?.fields.get('packages') ?? ANY;

const shipmentType = (memos: readonly string[] | undefined): Type => {
  const memo =
    memos === undefined
      ? anyObject('memo')
      : objectOf(new Map(memos.map((name) => [name, ANY])), { name: 'memo', origin: 'memo' });
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
  objectOf(new Map(Object.entries(fields).map(([key, field]) => [key, fieldType(field, own)])), {
    name,
    origin: 'declared',
  });

const fieldType = ({ type, oneOf, optional: mayLack, default: otherwise }: AccountField, own: boolean): Type => {
  const words = own ? oneOf?.filter((value) => typeof value === 'string') : undefined;
  const held =
    type === 'number'
      ? NUMBER
      : type === 'boolean'
        ? { boolean: true as const }
        : words === undefined
          ? TEXT
          : closedTexts(words);
  return mayLack && otherwise === undefined ? orMissing(held) : held;
};

const environmentType = ({ environments }: LintInput['carrier']): Type => {
  const keys = Object.values(environments).flatMap(({ values }) => Object.keys(values));
  const fields = new Map<string, Type>(keys.map((key) => [key, ANY]));
  fields.set('name', closedTexts(['sandbox', 'production'])).set('url', TEXT);
  return objectOf(fields, { name: 'environment', origin: 'declared' });
};

const authsType = ({ auths }: LintInput['carrier']): Type =>
  objectOf(
    new Map(
      Object.entries(auths).map(([name, auth]) => {
        const saved = auth.kind === 'session' ? Object.keys(auth.save) : [];
        const fields = new Map<string, Type>([...saved.map((key) => [key, ANY] as const), ['token', TEXT]]);
        return [name, objectOf(fields, { name, origin: 'declared' })];
      }),
    ),
    { name: 'auths', origin: 'declared' },
  );

const requestType = (body: Type): Type =>
  objectOf(
    {
      method: TEXT,
      url: TEXT,
      path: TEXT,
      query: anyObject('query'),
      headers: anyObject('headers'),
      body: orMissing(body),
      text: TEXT,
    },
    { name: 'request' },
  );

/** What the roots may hold in several positions that share an expression. */
export const joinRoots = (each: readonly ReadonlyMap<Root, Type>[]): ReadonlyMap<Root, Type> => {
  const roots = new Set(each.flatMap((map) => [...map.keys()]));
  return new Map([...roots].map((root) => [root, unionOf(each.flatMap((map) => map.get(root) ?? []))]));
};
