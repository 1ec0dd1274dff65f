/** Reads XML Schemas and WSDL 1.1: what elements hold, and which operation sends which to where. */
import { isElement, type XmlElement } from '../../engine/codecs/xml.ts';
import type { Call } from './sample.ts';
import { type BodyShape, type Scalar, type ShapeField, TEXT_SHAPE } from './shape.ts';

const DEPTH_MAX = 14;
const NUMBER =
  /^(?:decimal|float|double|int|integer|long|short|byte|(?:non|un)?(?:Positive|positive|Negative|negative|signed)\w*)$/;

export const isSchema = ({ local }: XmlElement): boolean => local === 'schema' || local === 'definitions';

const attribute = (element: XmlElement, name: string): string | undefined =>
  element.attributes.find(([one]) => one === name)?.[1];
const children = (element: XmlElement | undefined, ...locals: readonly string[]): XmlElement[] =>
  (element?.children ?? []).filter(isElement).filter(({ local }) => locals.includes(local));
const bare = (name: string): string => name.slice(name.indexOf(':') + 1);
const all = (element: XmlElement, local: string): XmlElement[] =>
  element.children
    .filter(isElement)
    .flatMap((child) => [...(child.local === local ? [child] : []), ...all(child, local)]);

const simple = (type: string): Scalar => ({
  kind: 'scalar',
  type: NUMBER.test(type) ? 'number' : type === 'boolean' ? 'boolean' : 'text',
});

const attributesIn = (type: XmlElement): ShapeField[] =>
  children(type, 'attribute').map((one) => ({
    name: `@${attribute(one, 'name') ?? ''}`,
    required: attribute(one, 'use') === 'required',
    shape: simple(bare(attribute(one, 'type') ?? '')),
  }));

interface Declared {
  readonly element: XmlElement;
  readonly schema: XmlElement;
}

/** Documents that belong together: what one imports another declares. */
export const readSchemas = (
  documents: readonly { readonly from: string; readonly root: XmlElement }[],
): readonly Call[] => {
  const schemas = documents.flatMap(({ root }) => (root.local === 'schema' ? [root] : all(root, 'schema')));
  const named = (kind: string): ReadonlyMap<string, Declared> =>
    new Map(
      schemas.flatMap((schema) =>
        children(schema, kind).map((element): [string, Declared] => [
          attribute(element, 'name') ?? '',
          { element, schema },
        ]),
      ),
    );
  const [elements, complexes] = [named('element'), named('complexType')];
  const [simples, groups] = [named('simpleType'), named('group')];
  const prefixes = new Map<string, string>();
  const prefixOf = (uri: string): string => {
    if (!prefixes.has(uri)) prefixes.set(uri, `n${prefixes.size + 1}`);
    return `${prefixes.get(uri) ?? ''}:`;
  };
  const nameIn = (element: XmlElement, schema: XmlElement, isGlobal: boolean): string => {
    const form = attribute(element, 'form') ?? attribute(schema, 'elementFormDefault');
    const uri = attribute(schema, 'targetNamespace');
    return `${uri !== undefined && (isGlobal || form === 'qualified') ? prefixOf(uri) : ''}${attribute(element, 'name') ?? ''}`;
  };

  const elementField = (given: XmlElement, within: XmlElement, deep: number): ShapeField => {
    const ref = attribute(given, 'ref');
    const found = ref === undefined ? undefined : elements.get(bare(ref));
    const { element, schema } = found ?? { element: given, schema: within };
    const shape = shapeOfElement(element, schema, deep);
    const max = attribute(given, 'maxOccurs') ?? '1';
    return {
      name: nameIn(element, schema, found !== undefined),
      required: attribute(given, 'minOccurs') !== '0',
      shape: max === 'unbounded' || Number(max) > 1 ? { kind: 'list', of: [shape] } : shape,
    };
  };

  const shapeOfElement = (element: XmlElement, schema: XmlElement, deep: number): BodyShape => {
    const type = bare(attribute(element, 'type') ?? '');
    const shown = attribute(element, 'fixed') ?? attribute(element, 'default');
    const [inline] = children(element, 'complexType', 'simpleType');
    const known = inline === undefined ? (complexes.get(type) ?? simples.get(type)) : { element: inline, schema };
    if (deep > DEPTH_MAX) return TEXT_SHAPE;
    const shape = known === undefined ? simple(type) : shapeOfType(known, deep);
    return shape.kind === 'scalar' && shown !== undefined ? { ...shape, example: shown } : shape;
  };

  const shapeOfType = ({ element, schema }: Declared, deep: number): BodyShape => {
    if (element.local === 'simpleType') {
      const [restriction] = children(element, 'restriction');
      const base = bare(attribute(restriction ?? element, 'base') ?? '');
      const inherited = simples.get(base);
      const from = inherited === undefined ? simple(base) : (shapeOfType(inherited, deep + 1) as Scalar);
      const oneOf = children(restriction, 'enumeration').map((one) => attribute(one, 'value') ?? '');
      const [max] = children(restriction, 'maxLength').map((one) => Number(attribute(one, 'value')));
      return { ...from, ...(oneOf.length === 0 ? {} : { oneOf }), ...(max === undefined ? {} : { maxLength: max }) };
    }
    const [extended] = children(element, 'complexContent', 'simpleContent').flatMap((one) =>
      children(one, 'extension', 'restriction'),
    );
    const base = bare(attribute(extended ?? element, 'base') ?? '');
    const parent = complexes.get(base) ?? simples.get(base);
    const own = [...fieldsIn(extended ?? element, schema, deep), ...attributesIn(extended ?? element)];
    if (children(element, 'simpleContent').length > 0) {
      const text = parent === undefined ? simple(base) : shapeOfType(parent, deep + 1);
      return own.length === 0
        ? text
        : { kind: 'map', fields: [...own, { name: '#text', required: true, shape: text }] };
    }
    const inherited = parent === undefined ? undefined : shapeOfType(parent, deep + 1);
    const fields = [...(inherited?.kind === 'map' ? inherited.fields : []), ...own];
    return {
      kind: 'map',
      fields,
      isOpen: ['choice', 'any', 'anyAttribute'].some((one) => all(element, one).length > 0),
    };
  };

  /** Of a choice the first is taken. */
  const fieldsIn = (holder: XmlElement, schema: XmlElement, deep: number): ShapeField[] =>
    children(holder, 'sequence', 'all', 'choice', 'group').flatMap((one) => {
      const group = one.local === 'group' ? groups.get(bare(attribute(one, 'ref') ?? '')) : undefined;
      if (group !== undefined) return fieldsIn(group.element, group.schema, deep);
      const held = one.children
        .filter(isElement)
        .filter(({ local }) => /^(?:element|sequence|choice|all|group)$/.test(local));
      return (one.local === 'choice' ? held.slice(0, 1) : held).flatMap((inner) =>
        inner.local === 'element'
          ? [elementField(inner, schema, deep + 1)]
          : fieldsIn({ ...one, children: [inner] }, schema, deep),
      );
    });

  const bodyOf = (
    name: string,
    soap: { version: '1.1' | '1.2'; action?: string | undefined } | undefined,
  ): Call['request'] => {
    const found = elements.get(bare(name));
    if (found === undefined) return undefined;
    prefixes.clear();
    const { element, schema } = found;
    const root = { name: nameIn(element, schema, true), required: true, shape: shapeOfElement(element, schema, 0) };
    const shape: BodyShape = { kind: 'map', fields: [root] };
    const namespaces = Object.fromEntries([...prefixes].map(([uri, prefix]) => [prefix, uri]));
    if (soap !== undefined) return { format: 'soap', isShown: false, shape, soap: { ...soap, namespaces } };
    return { format: 'xml', isShown: false, shape: declaring(shape, namespaces) };
  };

  // A schema beside a WSDL says what its messages hold.
  const told = documents.filter(({ root }) => root.local === 'definitions');
  return (told.length > 0 ? told : documents).flatMap(({ from: file, root }) =>
    root.local === 'definitions'
      ? callsOf(root, file, bodyOf)
      : children(root, 'element').flatMap((element): Call[] => {
          const name = attribute(element, 'name') ?? '';
          const request = /response|reply|result$/i.test(name) ? undefined : bodyOf(name, undefined);
          const from = `${file}#${name}`;
          return request === undefined
            ? []
            : [{ from, about: name, method: 'post', headers: {}, request, answers: [] }];
        }),
  );
};

/** The root of a document without an envelope declares its prefixes itself. */
const declaring = (shape: BodyShape, namespaces: Readonly<Record<string, string>>): BodyShape => {
  if (shape.kind !== 'map') return shape;
  const declared = Object.entries(namespaces).map(([prefix, uri]): ShapeField => ({
    name: `@xmlns:${prefix}`,
    required: true,
    shape: { kind: 'scalar', type: 'text', example: uri },
  }));
  return {
    kind: 'map',
    fields: shape.fields.map((root) =>
      root.shape.kind === 'map'
        ? { ...root, shape: { kind: 'map', fields: [...declared, ...root.shape.fields] } }
        : root,
    ),
  };
};

type BodyNamed = (name: string, soap: { version: '1.1' | '1.2'; action?: string | undefined }) => Call['request'];

const callsOf = (wsdl: XmlElement, from: string, bodyOf: BodyNamed): readonly Call[] => {
  const messages = new Map(
    children(wsdl, 'message').map((one) => [
      attribute(one, 'name'),
      attribute(children(one, 'part')[0] ?? one, 'element'),
    ]),
  );
  const elements = (side: 'input' | 'output') =>
    new Map(
      children(wsdl, 'portType').flatMap((port) =>
        children(port, 'operation').map((one) => [
          attribute(one, 'name'),
          messages.get(bare(attribute(children(one, side)[0] ?? one, 'message') ?? '')),
        ]),
      ),
    );
  const [inputs, outputs] = [elements('input'), elements('output')];
  const [address] = all(wsdl, 'address').map((one) => attribute(one, 'location'));
  const seen = new Set<string>();
  return children(wsdl, 'binding').flatMap((binding) =>
    children(binding, 'operation').flatMap((operation): Call[] => {
      const name = attribute(operation, 'name') ?? '';
      const input = inputs.get(name);
      const [own] = children(operation, 'operation');
      const action = attribute(own ?? operation, 'soapAction');
      const request =
        input === undefined || seen.has(name)
          ? undefined
          : bodyOf(input, {
              version: own?.prefix === 'soap12' ? '1.2' : '1.1',
              action: action || undefined,
            });
      if (request === undefined) return [];
      seen.add(name);
      const place = { from: `${from}#${name}`, about: name, method: 'post' as const, url: address, headers: {} };
      return [{ ...place, request, answerRoot: bare(outputs.get(name) ?? ''), answers: [] }];
    }),
  );
};
