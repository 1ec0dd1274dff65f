import { Type } from 'typebox';

/** Fields that the admin routes share. */
const code = (says: string) => Type.String({ pattern: '^[A-Za-z0-9][\\w.-]{0,99}$', 'x-must': says });

export const shipperCode = () => code('be the code of a shipper: letters, digits, dots, dashes and underscores');
export const carrierCode = () => code('be the code of a carrier');
export const Environment = Type.Enum(['sandbox', 'production']);
