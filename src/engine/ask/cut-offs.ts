/** When manifests are made by themselves: at cut-offs of carriers, by a facility's configuration. */
import { type Static, Type } from 'typebox';
import { WEEKDAYS } from '../profile/language/slots.ts';
import { instantOf, zonedAt } from '../time-zone.ts';

const closed = { additionalProperties: false } as const;
const CutOff = Type.Object(
  {
    carrier: Type.Object({ code: Type.String({ minLength: 1, maxLength: 100 }) }, closed),
    cutOff: Type.String({
      pattern: String.raw`^([01]\d|2[0-3]):[0-5]\d$`,
      'x-must': 'be a time written HH:MM',
      description: 'Local to the facility.',
      examples: ['17:30'],
    }),
    weekdays: Type.Optional(
      Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, description: 'Default: Monday to Friday.' }),
    ),
  },
  closed,
);
export type CutOff = Static<typeof CutOff>;

export const CutOffs = Type.Array(CutOff, {
  maxItems: 50,
  description: 'Manifests that are made by themselves: of which carriers, and when.',
});

type Weekday = (typeof WEEKDAYS)[number];
const WORKDAYS: Weekday[] = WEEKDAYS.slice(0, 5);

/** The first cut-off after this moment; where clocks jump over it, as they go on. */
export const nextCutOff = (
  { cutOff, weekdays = WORKDAYS }: Pick<CutOff, 'cutOff' | 'weekdays'>,
  timeZone: string,
  afterMs: number,
): { readonly day: string; readonly dueAtMs: number } => {
  const today = zonedAt(afterMs, timeZone).toPlainDate();
  for (let days = 0; ; days += 1) {
    const date = today.add({ days });
    if (!weekdays.includes(WEEKDAYS[date.dayOfWeek - 1] ?? 'MON')) continue;
    const day = date.toString();
    const dueAtMs =
      instantOf(Date.parse(`${day}T${cutOff}:00Z`), timeZone) ??
      date.toZonedDateTime({ timeZone, plainTime: cutOff }).epochMilliseconds;
    if (dueAtMs > afterMs) return { day, dueAtMs };
  }
};
