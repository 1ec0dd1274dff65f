import { type TSchema, Type } from 'typebox';

/** The four profiles of the shipper API: outsourced or own fleet, parcel or big and bulky. */
export const PROFILES = ['OP', 'OB', 'FP', 'FB'] as const;
export type Profile = (typeof PROFILES)[number];

type Level = 'M' | 'R' | 'O' | '-';
/** One letter a profile, in the order of `PROFILES`; a dash where the specification states no level. */
export type Levels = `${Level}${Level}${Level}${Level}`;

/** A field that all four profiles must have. */
export const must = <S extends TSchema>(schema: S, description?: string): S => noted('MMMM', schema, description);

/** A field that at least one profile may lack. */
export const may = <S extends TSchema>(levels: Exclude<Levels, 'MMMM'>, schema: S, description?: string) =>
  Type.Optional(noted(levels, schema, description));

// Changes the fresh schema in place: a copy would lose what TypeBox keeps out of sight.
const noted = <S extends TSchema>(levels: Levels, schema: S, description: string | undefined): S =>
  Object.assign(schema, { 'x-levels': levels }, description === undefined ? {} : { description });

// Kinds of value, each bounded ----------------------------------------------------------------------------------------

/** Text; not blank where its field is mandatory. */
export const text = (maxLength = 200) => Type.String({ maxLength });
export const decimal = () => Type.Number();
export const integer = () => Type.Integer();
export const flag = () => Type.Boolean();
export const country = () => Type.String({ format: 'country', examples: ['IN', 'DE'] });
export const timeZone = () => Type.String({ format: 'time-zone', examples: ['Asia/Kolkata'] });
export const localTime = () => Type.String({ format: 'local-date-time', examples: ['2026-05-01 09:00:00'] });
export const url = () => Type.String({ format: 'http-url', maxLength: 2_000 });
export const texts = (maxItems: number) => Type.Array(text(), { maxItems });
export const weightUnit = () => Type.Enum(['KG', 'LB']);
export const lengthUnit = () => Type.Enum(['CM', 'IN']);
export const volumeUnit = () => Type.String({ maxLength: 10, examples: ['MM3', 'CM3', 'CBM'] });
