/** What an order asks of the test carrier: the words after `test:` in its `deliveryInstructions`. */
import { NORMALISED_STATUSES, type NormalisedStatus, parentOf, stageOf } from '../../engine/statuses/status.ts';

/** Words that are no statuses. */
const BEHAVIOURS = [
  'refused',
  'time-out',
  'held',
  'partial',
  'update refused',
  'cancel refused',
  'late label',
  'no label',
] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

export interface TestInstructions {
  readonly has: (behaviour: Behaviour) => boolean;
  /** The statuses that follow, in their order. */
  readonly journey: readonly NormalisedStatus[];
  /** Words that it does not know. */
  readonly unknown: readonly string[];
}

const SPELLED = new Map<string, Behaviour | NormalisedStatus>();
/** Case, hyphens and underscores do not count. */
const spelling = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();
for (const word of [...BEHAVIOURS, ...NORMALISED_STATUSES]) SPELLED.set(spelling(word), word);

const isStatus = (word: string): word is NormalisedStatus => NORMALISED_STATUSES.some((status) => status === word);

/** What follows `test:`, up to the end of the line or sentence, with commas between the words. */
export const readInstructions = (instructions: string): TestInstructions => {
  const [, text = ''] = /\btest:([^.;\n]*)/i.exec(instructions) ?? [];
  const given = text.split(',').filter((word) => word.trim() !== '');
  const words = new Set(given.map((word) => SPELLED.get(spelling(word))));
  const statuses = [...words].filter((word) => word !== undefined && isStatus(word));
  return {
    has: (behaviour) => words.has(behaviour),
    journey: journeyOf(statuses),
    unknown: given.filter((word) => !SPELLED.has(spelling(word))).map((word) => word.trim()),
  };
};

/** All words that there are, for whoever wrote another. */
export const WORDS = [...SPELLED.values()].join(', ');

const DELIVERY = ['Order Picked Up', 'In Transit', 'At Facility', 'Out for Delivery', 'Order Delivered'] as const;

/** One status is reached the usual way; several are a way of their own; none: it is delivered. */
const journeyOf = (wanted: readonly NormalisedStatus[]): readonly NormalisedStatus[] => {
  const [sole = 'Order Delivered', ...others] = wanted;
  if (others.length > 0) return wanted;
  if (sole === 'Order Created') return [];
  const place = DELIVERY.findIndex((status) => status === sole);
  if (place !== -1) return DELIVERY.slice(0, place + 1);
  const stage = stageOf(parentOf(sole));
  return [...DELIVERY.slice(0, -1).filter((status) => stageOf(status) <= stage && stage > 0), sole];
};
