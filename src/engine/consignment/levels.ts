import { type TSchema, Type } from 'typebox';

/** The four profiles of the shipper API: outsourced or own fleet, parcel or big and bulky. */
export const PROFILES = ['OP', 'OB', 'FP', 'FB'] as const;
export type Profile = (typeof PROFILES)[number];

/** The profile whose levels hold for a carrier. */
export const profileOf = ({ fleet, bulky }: { fleet: 'outsourced' | 'own'; bulky: boolean }): Profile =>
  fleet === 'own' ? (bulky ? 'FB' : 'FP') : bulky ? 'OB' : 'OP';

type Level = 'M' | 'R' | 'O' | '-';
/** One letter a profile, in the order of `PROFILES`; a dash where the specification states no level. */
type Levels = `${Level}${Level}${Level}${Level}`;
export type OptionalLevels = Exclude<Levels, 'MMMM'>;

/** A field that all four profiles must have. */
export const must = <S extends TSchema>(schema: S, description?: string): S => noted('MMMM', schema, description);

/** A field that at least one profile may lack. */
export const may = <S extends TSchema>(levels: OptionalLevels, schema: S, description?: string) =>
  Type.Optional(noted(levels, schema, description));

// Changes the fresh schema in place: a copy would lose what TypeBox keeps out of sight.
const noted = <S extends TSchema>(levels: Levels, schema: S, description: string | undefined): S =>
  Object.assign(schema, { 'x-levels': levels }, description === undefined ? {} : { description });

export interface LevelledSchema {
  readonly 'x-levels'?: string;
  readonly properties?: Readonly<Record<string, LevelledSchema>>;
  readonly required?: readonly string[];
  readonly items?: LevelledSchema;
  readonly [keyword: string]: unknown;
}

/** The schema as it holds in a profile: its mandatory fields required, `x-level` on each field that has one. */
export const schemaFor = (schema: LevelledSchema, profile: Profile): LevelledSchema => {
  const { 'x-levels': levels, properties, required: _, items, ...rest } = schema;
  const level = levelIn(levels, profile);
  const fields = Object.entries(properties ?? {});
  // A mandatory text that is blank would be no text at all.
  const isFilled = level === 'M' && schema['type'] === 'string' && !schema['format'] && !schema['pattern'];
  return {
    ...rest,
    ...(level === '-' ? {} : { 'x-level': level }),
    ...(isFilled ? { pattern: '\\S', 'x-must': 'not be blank' } : {}),
    ...(items === undefined ? {} : { items: schemaFor(items, profile) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaFor(field, profile)])),
          required: fields.filter(([, field]) => levelIn(field['x-levels'], profile) === 'M').map(([name]) => name),
        }),
  };
};

/** The schema with `null` for every field that is not required. */
export const clearable = ({ properties, required = [], items, ...rest }: LevelledSchema): LevelledSchema => ({
  ...rest,
  ...(items && { items: clearable(items) }),
  ...(properties && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const inner = clearable(field);
        return [name, required.includes(name) ? inner : orNull(inner)];
      }),
    ),
    required,
  }),
});

const orNull = ({ type, enum: words, ...schema }: LevelledSchema): LevelledSchema => ({
  ...schema,
  ...(type === undefined ? {} : { type: [type, 'null'] }),
  ...(Array.isArray(words) ? { enum: [...(words as unknown[]), null] } : {}),
});

const levelIn = (levels: string | undefined, profile: Profile): string => levels?.[PROFILES.indexOf(profile)] ?? '-';
