/** What the roots hold where an expression stands: by the contract, the profile, the carrier's schemas and its cases. */
import { Consignment, ConsignmentVas, Info, SEEN_OF_MANY } from '../../consignment/consignment.ts';
import { checkExpression } from '../../mapping/types/check-expression.ts';
import { shownType, valueType } from '../../mapping/types/sample-type.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import * as t from '../../mapping/types/type.ts';
import { type Root, seenIn } from '../../mapping/roots.ts';
import { parseExpression } from '../../mapping/expression.ts';
import { ABOUT, ASKED_ROOTS, type AskedRoot, askedOf, isAsked } from '../../ask/operations.ts';
import { ATTACHED } from '../../dispatch/documents.ts';
import { Failure } from '../../failure.ts';
import { once } from '../../value.ts';
import type { AccountField, OperationName, Step } from '../carrier.ts';
import type { Site } from '../compile/context.ts';
import type { LintInput } from '../lint/rule.ts';

const CONSIGNMENT = schemaType(Consignment, 'consignment').object?.fields ?? new Map<string, t.Type>();
const INFO = schemaType(Info, 'info').object?.fields ?? new Map<string, t.Type>();
const ENDS = t.objectOf(new Map(SEEN_OF_MANY.map((name) => [name, CONSIGNMENT.get(name) ?? t.TEXT])), {
  name: 'consignment',
});
const VAS = schemaType(ConsignmentVas, 'vas').object?.fields ?? new Map<string, t.Type>();

/** `offered`: the value-added services that come to nobody else; undefined: any may come. */
const consignmentType = (offered: readonly string[] | undefined): t.Type => {
  const info = t.objectOf(INFO, { name: 'info', origin: 'open', others: t.ANY });
  const code = t.orMissing(offered === undefined ? t.TEXT : t.closedTexts(offered));
  const vas = t.objectOf(new Map([...VAS, ['vasCode', code]]), { name: 'vas' });
  const own = [['info', t.orMissing(info)] as const, ['vas', t.orMissing(t.listOf(vas))] as const];
  return t.objectOf(new Map([...CONSIGNMENT, ...own]), { name: 'consignment' });
};

const CONSIGNMENT_OF_ANY = consignmentType(undefined);

const declaredObject = (name: string, fields: ReadonlyMap<string, t.Type>): t.Type =>
  t.objectOf(fields, { name, origin: 'declared' });

const FAULT = t.objectOf(
  { code: t.orMissing(t.TEXT), subcode: t.orMissing(t.TEXT), message: t.orMissing(t.TEXT), detail: t.ANY },
  { name: 'fault' },
);

/** `memo`: the names that the profile declares; undefined: there may be any. */
const aboutTypes = (memo: readonly string[] | undefined) =>
  Object.fromEntries(
    ASKED_ROOTS.map((root) => {
      const own = { type: 'object', properties: Object.fromEntries((memo ?? []).map((name) => [name, {}])) };
      const named = (key: string, schema: unknown): unknown => (key === 'memo' && memo !== undefined ? own : schema);
      const type = once(() => schemaType(JSON.parse(JSON.stringify(ABOUT[root]), named) as object, root));
      return [root, (): t.Type => type(undefined)];
    }),
  ) as Record<AskedRoot, () => t.Type>;

const DOCUMENTS = t.objectOf(new Map(Object.keys(ATTACHED).map((name) => [name, t.orMissing(t.TEXT)])), {
  name: 'documents',
});

/** What itself depends on what the steps go through. */
const FROM_ELEMENTS: ReadonlySet<Root> = new Set(['item', 'items', 'steps']);

/** Of one position; `own`: what stands there serves this carrier alone. All are built when they are asked for, and once. */
export const rootTypesOf = once((input: LintInput) => {
  const { carrier, evidence } = input;
  /** Of a base nothing is known that its heirs declare. */
  const declared = (type: () => t.Type): t.Type => (carrier.abstract ? t.ANY : type());
  const consignment = consignmentType(carrier.capabilities.vas);
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
    const body = t.orMissing(given ?? answered(operation));
    return { status: t.NUMBER, headers: t.anyObject('headers'), body, text: t.TEXT, fault: t.orMissing(FAULT) };
  };

  const stepsType = (site: Site): t.Type => {
    const fields = new Map<string, t.Type>();
    for (const { name, steps, variants } of Object.values(carrier.operations)) {
      if (site.operation !== undefined && name !== site.operation) continue;
      const isAlone = steps.length === 1 && variants.length === 0;
      const nameOf = (step: Step): string => (isAlone ? name : `${name}.${step.id}`);
      const asked = site.step?.replace(/\.lookup$/, '');
      const own = steps.findIndex((step) => nameOf(step) === asked);
      const seesOwn = steps[own]?.forEach !== undefined && steps[own].parallel === 1;
      // A step sees those before it, and one by one its own calls before; what is made of the whole, all.
      for (const step of own === -1 ? steps : steps.slice(0, own + Number(seesOwn))) {
        const before = fields.get(step.id);
        const type = stepType(name, step, nameOf(step));
        fields.set(step.id, before === undefined ? type : t.union(before, type));
      }
      if (site.position !== 'undo') continue;
      for (const { id } of steps.flatMap(({ undo }) => undo))
        fields.set(id, t.orMissing(t.objectOf(answer(undefined, undefined, true), { name: 'response' })));
    }
    return declaredObject('steps', fields);
  };

  const stepType = (operation: OperationName, step: Step, name: string): t.Type => {
    const one = answer(operation, name, true);
    if (step.forEach === undefined) return t.orMissing(t.objectOf(one, { name: 'response' }));
    const forEach = { text: step.forEach.text, placeAt: () => step.place };
    const item = elementType({ position: 'request', operation, forEach });
    const more = step.batch === undefined ? { item } : { items: t.listOf(item) };
    return t.listOf(t.objectOf({ ...one, ...more }, { name: 'the answer' }));
  };

  const elementType = ({ position, operation, forEach }: Site): t.Type => {
    if (position === 'label') {
      const [item, made] = [CONSIGNMENT.get('itemList'), shipment.object?.fields.get('packages')].map((list) =>
        list === undefined ? undefined : t.elementsOf(list).object?.fields,
      );
      return t.objectOf(new Map([...(item ?? []), ...(made ?? [])]), { name: 'item' });
    }
    if (operation === 'track' && forEach === undefined) {
      const { object } = t.elementsOf(shipment.object?.fields.get('packages') ?? t.ANY);
      const own = isOfMany({ operation }) ? [['consignment', ENDS] as const] : [];
      return t.objectOf(new Map([...(object?.fields ?? []), ...own]), { name: 'packages' });
    }
    // A look-up is asked with the item of the create.
    if (forEach === undefined) return operation === undefined || operation === 'lookup' ? t.ANY : t.MISSING;
    try {
      const site: Site = { position: 'forEach', ...(operation && { operation }) };
      const roots = rootsSeen(site, (root) => (FROM_ELEMENTS.has(root) ? t.ANY : typeOf(root, site, false)));
      return t.elementsOf(
        checkExpression(parseExpression(forEach), forEach.text, { positions: ['forEach'], roots }).type,
      );
    } catch (thrown) {
      if (thrown instanceof Failure) return t.ANY;
      throw thrown;
    }
  };

  const requestBody = ({ position }: Site): t.Type =>
    position === 'signature' || position === 'signatureFormat'
      ? t.ANY
      : (schemaOf('webhook.request') ?? shownType(evidence.pushes(), 'the webhook’s body'));

  /** Packages of several consignments are asked about together. */
  const isOfMany = ({ operation }: Pick<Site, 'operation'>): boolean =>
    operation === 'track' && (carrier.operations.track?.batch ?? 1) > 1;
  const ofOne = (type: (site: Site, own: boolean) => t.Type) => (site: Site, own: boolean) =>
    isOfMany(site) ? t.MISSING : type(site, own);

  const types: Readonly<Record<Root, (site: Site, own: boolean) => t.Type>> = {
    consignment: ofOne((_, own) => (own && !carrier.abstract ? consignment : CONSIGNMENT_OF_ANY)),
    service: ofOne(({ operation }, own) => {
      const type = serviceType(carrier, own && !carrier.abstract);
      // A question may be about all of them.
      return isAsked(operation) ? t.orMissing(type) : type;
    }),
    shipment: ofOne(() => shipment),
    item: (site) => (isOfMany(site) && site.batchBy !== true ? t.MISSING : elementType(site)),
    items: (site) => {
      if (site.batchBy === true) return t.MISSING;
      const element = elementType(site);
      return element.any === true || element === t.MISSING ? element : t.listOf(element);
    },
    carrier: () => t.objectOf({ code: t.TEXT, name: t.TEXT }, { name: 'carrier' }),
    index: () => t.NUMBER,
    settings: (_, own) => declared(() => fieldsType(carrier.settings, 'settings', own)),
    credentials: (_, own) => declared(() => fieldsType(carrier.credentials, 'credentials', own)),
    environment: () => declared(() => environmentType(carrier)),
    tables: () =>
      declared(() => {
        const fields = valueType(carrier.tables, 'tables').object?.fields ?? {};
        return t.objectOf(fields, { name: 'tables', origin: 'tables' });
      }),
    auths: () => declared(() => authsType(carrier)),
    steps: (site) => declared(() => stepsType(site)),
    response: (site) => {
      const isGood = site.position === 'result' || site.position === 'undo';
      return t.objectOf(answer(site.operation, lastStepOf(carrier, site), isGood), { name: 'response' });
    },
    request: (site) => requestType(requestBody(site)),
    webhook: () => t.objectOf({ url: t.TEXT }, { name: 'webhook' }),
    remark: () => t.orMissing(t.TEXT),
    documents: ({ operation }) => (operation === 'create' || operation === 'update' ? DOCUMENTS : t.MISSING),
    ...aboutTypes(carrier.abstract ? undefined : carrier.memo),
    now: () => t.TEXT,
    sentAt: () => t.TEXT,
    repeated: () => t.BOOLEAN,
    idempotencyKey: () => t.TEXT,
    token: () => t.TEXT,
    signature: () => t.TEXT,
  };
  const typeOf = (root: Root, site: Site, own: boolean): t.Type =>
    isHidden(root, site) ? t.MISSING : types[root](site, own);
  return (site: Site, own: boolean) => rootsSeen(site, (root) => typeOf(root, site, own));
}, new WeakMap());

/** Inputs of another operation. */
const isHidden = (root: Root, { operation }: Site): boolean => {
  if (!INPUTS.has(root)) return false;
  return isAsked(operation) ? !askedOf(operation).sees.includes(root) : operation !== undefined && root in ABOUT;
};
const INPUTS: ReadonlySet<Root> = new Set<Root>(['consignment', 'service', 'shipment', 'remark', ...ASKED_ROOTS]);

const rootsSeen = ({ position }: Site, typeOf: (root: Root) => t.Type): ReadonlyMap<Root, t.Type> =>
  new Map(
    [...seenIn([position])].map((root) => [root, typeOf(root)] as const).filter(([, type]) => type !== t.MISSING),
  );

const lastStepOf = (
  carrier: LintInput['carrier'],
  { step, operation, position, variant }: Site,
): string | undefined => {
  if (position === 'undo') return step?.replace(/\.undo(?:\[\d+\])?$/, '');
  if (step !== undefined || operation === undefined) return step;
  const steps = (carrier.operations[operation]?.steps ?? []).filter((one) => one.variant === variant);
  return steps.length <= 1 && variant === undefined ? operation : `${operation}.${steps.at(-1)?.id}`;
};

const shipmentType = (names: readonly string[] | undefined): t.Type => {
  const memo =
    names === undefined
      ? t.anyObject('memo')
      : t.objectOf(new Map(names.map((name) => [name, t.ANY])), { name: 'memo', origin: 'memo' });
  const one = t.objectOf(
    { itemReferenceNumber: t.TEXT, trackingNumber: t.orMissing(t.TEXT), memo },
    { name: 'packages' },
  );
  return t.objectOf({ trackingNumber: t.orMissing(t.TEXT), memo, packages: t.listOf(one) }, { name: 'shipment' });
};

const serviceType = ({ services }: LintInput['carrier'], own: boolean): t.Type => {
  const codes = [...(services?.values() ?? [])].map(({ code }) => code);
  const known = codes.filter((code) => code !== undefined);
  const code = !own || known.length === 0 ? t.TEXT : t.closedTexts(known);
  const isSure = services !== undefined && known.length === codes.length;
  const words = ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'];
  return t.objectOf(
    {
      name: t.TEXT,
      typeOfService: t.closedTexts(words),
      code: isSure ? code : t.orMissing(code),
      orders: t.listOf(t.TEXT),
    },
    { name: 'service' },
  );
};

const fieldsType = (fields: Readonly<Record<string, AccountField>>, name: string, own: boolean): t.Type =>
  declaredObject(name, new Map(Object.entries(fields).map(([key, field]) => [key, fieldType(field, own)])));

const fieldType = ({ type, oneOf, optional: mayLack, default: otherwise }: AccountField, own: boolean): t.Type => {
  const words = own ? oneOf?.filter((value) => typeof value === 'string') : undefined;
  const text = words === undefined ? t.TEXT : t.closedTexts(words);
  const held = type === 'number' ? t.NUMBER : type === 'boolean' ? t.BOOLEAN : text;
  return mayLack && otherwise === undefined ? t.orMissing(held) : held;
};

const environmentType = ({ environments }: LintInput['carrier']): t.Type => {
  const keys = Object.values(environments).flatMap(({ values }) => Object.keys(values));
  const fields = new Map<string, t.Type>(keys.map((key) => [key, t.ANY]));
  fields.set('name', t.closedTexts(['sandbox', 'production'])).set('url', t.TEXT);
  return declaredObject('environment', fields);
};

const authsType = ({ auths }: LintInput['carrier']): t.Type => {
  const types = Object.entries(auths).map(([name, auth]): readonly [string, t.Type] => {
    const saved = auth.kind === 'session' ? Object.keys(auth.save) : [];
    const fields = new Map<string, t.Type>([...saved.map((key) => [key, t.ANY] as const), ['token', t.TEXT]]);
    return [name, declaredObject(name, fields)];
  });
  return declaredObject('auths', new Map(types));
};

const requestType = (body: t.Type): t.Type => {
  const [query, headers] = [t.anyObject('query'), t.anyObject('headers')];
  const fields = { method: t.TEXT, url: t.TEXT, path: t.TEXT, query, headers, body: t.orMissing(body), text: t.TEXT };
  return t.objectOf(fields, { name: 'request' });
};

/** What the roots may hold in several positions that share an expression. */
export const joinRoots = (each: readonly ReadonlyMap<Root, t.Type>[]): ReadonlyMap<Root, t.Type> => {
  const roots = new Set(each.flatMap((map) => [...map.keys()]));
  return new Map([...roots].map((root) => [root, t.unionOf(each.flatMap((map) => map.get(root) ?? []))]));
};
