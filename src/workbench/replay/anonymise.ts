/** Takes people out of what was recorded: in their place stand invented ones, for the same value always the same. */
import { createHash } from 'node:crypto';
import { literally } from '../../engine/text.ts';
import { isMap, mapTexts } from '../../engine/value.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { isSecretName } from '../../engine/transport/masking.ts';

type Fields = Readonly<Record<string, unknown>>;
type Kind = 'name' | 'company' | 'phone' | 'email' | 'street' | 'box' | 'point' | 'tax' | 'words';

/** Fields of a consignment and of its parties. City, postal code and country stay: services and rules depend on them. */
const FIELDS: readonly (readonly [RegExp, Kind])[] = [
  [/CompanyName$|^companyName$/, 'company'],
  [/^(?:origin|destination)Name$|^name$|contactPerson$/i, 'name'],
  [/contactNumber2?$/i, 'phone'],
  [/email$/i, 'email'],
  [/addressLine[123]$|landmark$/i, 'street'],
  [/poBoxNumber$/i, 'box'],
  [/(?:latitude|longitude)$/i, 'point'],
  [/^shipperTaxNumber$/, 'tax'],
  [/^(?:deliveryInstructions|itemSpecialInstruction|instructions|remark|slotToken)$/, 'words'],
];

/** Of a carrier's answer, whatever it writes there. */
const ANSWERED: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:first|last|sur|given|family|full|contact|person|recipient|receiver|consignee|sender|signer)_?name$/i, 'name'],
  [/^(?:signed_?by|received_?by|contact_?person|attention(?:_?to)?)$/i, 'name'],
  [/company_?name$/i, 'company'],
  [/(?:phone|mobile|telephone)(?:_?number)?$/i, 'phone'],
  [/e_?mail(?:_?address)?$/i, 'email'],
  [/^(?:street|street_?name|street_?lines?|address_?line_?\d?|address_?\d)$/i, 'street'],
];

const MADE_UP: Readonly<Record<Kind, (number: number) => string>> = {
  name: (number) => `Person ${number} Example`,
  company: (number) => `Example Company ${number}`,
  phone: (number) => `+1202555${String(100 + (number % 100)).padStart(4, '0')}`,
  email: (number) => `person-${number}@example.com`,
  street: (number) => `${number} Example Street`,
  box: (number) => String(number),
  point: () => '0.0',
  tax: (number) => `EX000${number}`,
  words: () => 'Example words',
};

/** By the value alone, so that all cases agree. */
const numberOf = (value: string): number => 100 + (createHash('sha256').update(value).digest().readUInt32BE() % 900);

const kindOf = (key: string, fields: readonly (readonly [RegExp, Kind])[]): Kind | undefined =>
  fields.find(([name]) => name.test(key))?.[1];

/** Shorter ones are replaced only where they are the whole value: they stand in too many other words. */
const REPLACED_MIN = 4;

/** `known`: values of the account, each with its example. */
export const createCleaner = (known: ReadonlyMap<string, string>, keepPeople: boolean) => {
  const found = new Map(known);
  let compiled: { readonly size: number; readonly pattern: RegExp } | undefined;

  const invent = (kind: Kind, value: string): string => {
    const earlier = found.get(value);
    if (earlier !== undefined) return earlier;
    const made = MADE_UP[kind](numberOf(value));
    if (kind === 'point' || kind === 'box' || kind === 'words') return made;
    found.set(value, made);
    const digits = value.replaceAll(/\D/g, '');
    if (kind === 'phone' && digits !== value && digits !== '') found.set(digits, made.slice(1));
    return made;
  };

  const patternOf = (): RegExp => {
    if (compiled?.size === found.size) return compiled.pattern;
    const forms = [...formsOf(found).keys()].sort((one, other) => other.length - one.length).map(literally);
    const pattern =
      forms.length === 0 ? /(?!)/g : new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
    compiled = { size: found.size, pattern };
    return pattern;
  };
  const text = (given: string): string => {
    const pattern = patternOf();
    const forms = formsOf(found);
    const replaced = given.replaceAll(pattern, (match) => forms.get(match.toLowerCase()) ?? match);
    return keepPeople ? replaced : replaced.replaceAll(EMAIL, (match) => invent('email', match));
  };

  const fields = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') {
      const kind = keepPeople ? undefined : kindOf(key, FIELDS);
      return kind === undefined || value === '' ? value : invent(kind, value);
    }
    if (Array.isArray(value)) return value.map((one) => fields(one, key));
    if (!isMap(value)) return value;
    // Free fields may say anything of anybody.
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        name === 'info' && !keepPeople ? mapTexts(inner, () => 'example') : fields(inner, name),
      ]),
    );
  };
  /** What a carrier answered: a value of a body. */
  const value = (given: unknown, key = ''): unknown => {
    // Which the records masked, or did not know.
    if (isSecretName(key) && isTextOrNumber(given)) return `example-${key}`;
    if (typeof given === 'string') {
      const kind = keepPeople || given === '' ? undefined : kindOf(key, ANSWERED);
      const whole = found.get(given.trim());
      return whole ?? (kind === undefined || isInvented(given) ? text(given) : invent(kind, given));
    }
    if (typeof given === 'number') return found.get(String(given)) ?? given;
    if (Array.isArray(given)) return given.map((one) => value(one, key));
    if (!isMap(given) || isRaw(given)) return given;
    return Object.fromEntries(Object.entries(given as Fields).map(([name, inner]) => [name, value(inner, name)]));
  };
  return {
    /** Inputs of a dispatch: the people of a consignment are noted, and replaced. */
    inputs: ({ consignment, shipment, remark, ...rest }: Inputs): Inputs => ({
      ...rest,
      ...(consignment === undefined ? {} : { consignment: fields(consignment) }),
      ...(shipment === undefined ? {} : { shipment: value(shipment) }),
      ...(remark === undefined ? {} : { remark: String(fields(remark, 'remark')) }),
    }),
    value,
    /** What a carrier answered in no format that is read. */
    text: (given: string): string =>
      text(
        given.replaceAll(ELEMENT, (whole, name: string, attributes: string, content: string) => {
          const cleaned = value(content, name.split(':').at(-1) ?? name);
          return cleaned === content ? whole : `<${name}${attributes}>${String(cleaned)}</${name}>`;
        }),
      ),
  };
};

const ELEMENT = /<([\w:.-]{1,100})((?:\s[^<>]{0,1000})?)>([^<>]{1,10000})<\/\1>/g;
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@(?!example\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g;
const isInvented = (text: string): boolean => /\bExample\b|@example\.com$|^\+1202555/.test(text);

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** In all the ways a carrier writes them, in lower case. */
const formsOf = (found: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(
    [...found].flatMap(([from, to]): [string, string][] => {
      if (from.length < REPLACED_MIN) return [];
      const forms = [from, from.replaceAll(/[&<>"']/g, (one) => XML[one] ?? one), encodeURIComponent(from)];
      return forms.map((form) => [form.toLowerCase(), to]);
    }),
  );

/** A number that is kept as it was written. */
export const isRaw = (value: object): boolean => Object.getPrototypeOf(value) === null && 'rawJSON' in value;

const isTextOrNumber = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || (isMap(value) && isRaw(value));
