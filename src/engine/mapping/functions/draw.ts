import type { Draw } from '../mapping.ts';
import { define, misuse, map, optional, text } from './function.ts';

const uuid = define({
  name: 'uuid',
  doc: 'A random UUID that stays the same on every retry: one per dispatch, step, element and name. Inside `itemList.{ … }`, include the reference of the item in the name.',
  parameters: [optional(text('name'))],
  evenIfMissing: true,
  gives: 'text',
  examples: [{ expression: "$uuid('pickup')", result: '7f0c3e0a-2c57-4d8e-9f3b-1a6f0d9b2c44' }],
  call: (name = '', context) => context.drawn({ kind: 'uuid', name, options: {} }),
});

const sequence = define({
  name: 'sequence',
  doc: 'The next number of a persistent sequence of the account, as text, taken once per dispatch, step and element. `options` are `min` (default 1), `max` (after which it starts again) and `pad` (number of digits, padded with zeros).',
  refuses: 'options that contradict each other',
  parameters: [text('name'), optional(map('options', 'a map of min, max and pad'))],
  gives: 'text',
  examples: [
    { expression: `$sequence('sscc', {"pad": 9})`, result: '000000042' },
    { expression: "$sequence('parcel')", result: '42' },
  ],
  call(name, options = {}, context) {
    const read = sequenceOptions(options);
    return context.drawn({ kind: 'sequence', name, options: read }).padStart(read.pad ?? 0, '0');
  },
});

const wrongOptions = (message: string) => misuse(`$sequence ${message}`, { argument: 1 });

const PAD_MAX = 40;

function sequenceOptions(options: Readonly<Record<string, unknown>>): Draw['options'] {
  const read: { min?: number; max?: number; pad?: number } = {};
  for (const [key, value] of Object.entries(options)) {
    if (key !== 'min' && key !== 'max' && key !== 'pad') throw wrongOptions(`knows min, max and pad, but not '${key}'`);
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw wrongOptions(`needs a whole number from 0 as ${key}`);
    read[key] = value as number;
  }
  if (read.pad !== undefined && read.pad > PAD_MAX) throw wrongOptions(`pads to ${PAD_MAX} digits at most`);
  if (read.max !== undefined && read.max < (read.min ?? 1)) throw wrongOptions('needs a max that is not below its min');
  return read;
}

export const DRAWING = [uuid, sequence];
