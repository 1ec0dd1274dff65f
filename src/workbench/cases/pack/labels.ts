/** A label that came cut in half is no label. */
import { labelBytes } from '../../../engine/codecs/label-document.ts';
import type { WireOutcome } from '../../../engine/transport/wire.ts';
import { labelsOf } from '../expectation.ts';
import type { Scenario } from './scenario.ts';
import { type Act, type Acted, create, Pending, perform, type Stage, whyNot } from './stage.ts';

export const LABELS: readonly Scenario[] = [
  {
    name: 'truncated-label',
    title: 'a label cut in half is refused, not stored',
    run: async (stage) => {
      const { create: operation, label } = stage.carrier.operations;
      const place = (label ?? operation)?.place ?? stage.carrier.place;
      const whole = await labelled(stage, {});
      const good = goodLabels(whole);
      if (good.length === 0) throw new Pending(whyNot(whole, 'no case shows a label'));
      const acted = await labelled(stage, { alter: cutLabels });
      const stored = goodLabels(acted);
      return stored.length === 0
        ? []
        : [{ message: `half a label counts as a good ${stored.map(([, format]) => format).join(', ')}`, place }];
    },
  },
];

/** A create, and where the profile has one the operation that fetches labels. */
const labelled = async (stage: Stage, act: Act): Promise<Acted> => {
  const acted = await create(stage, act);
  return stage.carrier.operations.label === undefined || acted.outcome.kind !== 'done'
    ? acted
    : await perform(stage, acted.story, { do: 'label' }, act);
};

const FORMATS: ReadonlySet<string> = new Set(['PDF', 'ZPL', 'PNG', 'GIF', 'JPEG', 'EPL']);

const goodLabels = ({ story, outcome }: Acted): readonly (readonly [string, string])[] => {
  if (outcome.kind !== 'done') return [];
  const operation = story.runs.has('label') ? 'label' : 'create';
  return Object.entries(labelsOf(operation, outcome.result)).filter(([, format]) => FORMATS.has(format));
};

const BASE64 = /[A-Za-z0-9+/]{8,}={0,2}/g;
const ENDS = /%%EOF|\^XZ|IEND/gi;

/** Halves every label of an answer: those in base64, in whatever format they lie, and those as they are. */
const cutLabels = (outcome: WireOutcome): WireOutcome => {
  if (outcome.kind !== 'answer') return outcome;
  const text = outcome.body
    .toString('latin1')
    .replaceAll(BASE64, (run) => {
      const label = labelBytes(run);
      return label.ok ? label.bytes.subarray(0, label.bytes.length / 2).toString('base64') : run;
    })
    .replaceAll(ENDS, (end) => 'x'.repeat(end.length));
  return { ...outcome, body: Buffer.from(text, 'latin1') };
};
