import { Type } from 'typebox';

/** An instant in a body or query: ISO 8601 in UTC. */
export const time = (description?: string) =>
  Type.String({
    pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?Z$',
    'x-must': 'be a time written YYYY-MM-DDTHH:MM:SSZ',
    ...(description === undefined ? {} : { description }),
  });

export const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));
