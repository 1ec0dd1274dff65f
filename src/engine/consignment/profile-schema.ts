import type { TSchema } from 'typebox';
import type { Capabilities } from '../profile/carrier.ts';
import { PROFILES, type Profile } from './field.ts';
import { Order } from './schema.ts';

/** A JSON Schema as plain data: for ajv, for OpenAPI. */
export type JsonSchema = TSchema & Readonly<Record<string, unknown>>;

/** The profile whose levels hold for a carrier. */
export const profileOf = ({ fleet, bulky }: Pick<Capabilities, 'fleet' | 'bulky'>): Profile =>
  fleet === 'own' ? (bulky ? 'FB' : 'FP') : bulky ? 'OB' : 'OP';

/** The create request of a profile: its mandatory fields required, `x-level` on each field that has one. */
export const createSchema = (profile: Profile): JsonSchema => derive(ORDER, profile);

/**
 * The update request of a profile: only `consignmentDetails.referenceNumber` is required; what is included beside it
 * follows the same structure as in a create.
 */
export const updateSchema = (profile: Profile): JsonSchema => {
  const { properties = {}, ...rest } = derive(ORDER, profile);
  const details: Node = { ...properties['consignmentDetails'], required: ['referenceNumber'] };
  return {
    ...rest,
    properties: { ...properties, consignmentDetails: details },
    required: ['consignmentDetails'],
  };
};

interface Node {
  readonly 'x-levels'?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly [keyword: string]: unknown;
}

const ORDER = Order as unknown as Node;

const derive = (node: Node, profile: Profile): Node => {
  const { 'x-levels': levels, properties, required: _, items, ...rest } = node;
  const level = levelIn(levels, profile);
  const fields = Object.entries(properties ?? {});
  return {
    ...rest,
    ...(level === '-' ? {} : { 'x-level': level }),
    ...(level === 'M' && isFreeText(node) ? { pattern: '\\S', 'x-must': 'not be blank' } : {}),
    ...(items === undefined ? {} : { items: derive(items, profile) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(fields.map(([name, field]) => [name, derive(field, profile)])),
          required: fields.filter(([, field]) => levelIn(field['x-levels'], profile) === 'M').map(([name]) => name),
        }),
  };
};

// A mandatory text that is blank would be no text at all.
const isFreeText = (node: Node): boolean => node['type'] === 'string' && node['format'] === undefined;

const levelIn = (levels: string | undefined, profile: Profile): string => levels?.[PROFILES.indexOf(profile)] ?? '-';
