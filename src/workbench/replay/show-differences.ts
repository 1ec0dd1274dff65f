/** What a change of profiles does, for people: as text, and as Markdown for a review. */
import { plainLine } from '../../engine/text.ts';
import type { Change, DifferenceGroup } from './difference.ts';

export type CarrierDifferences =
  | { readonly carrier: string; readonly state: 'same' | 'new' | 'gone' }
  /** It loads only in one of the versions. */
  | { readonly carrier: string; readonly state: 'broken' | 'mended'; readonly why: string }
  | {
      readonly carrier: string;
      readonly state: 'compared';
      readonly from: string;
      readonly to: string;
      readonly payloads: number;
      readonly changed: number;
      readonly differences: readonly DifferenceGroup[];
    };

const WORDS: Readonly<Record<Change, string>> = {
  added: 'added',
  gone: 'gone',
  rounded: 'rounded',
  cut: 'cut',
  trimmed: 'other spaces',
  case: 'other case',
  type: 'another type',
  changed: 'changed',
};

/** `` `weight` rounded: 1.25 → 1.3 ``, with what it is part of. */
export const describeDifference = ({ kind, action, subject, change, examples: [first] }: DifferenceGroup): string => {
  const [from, to] = [show(first?.from), show(first?.to)];
  const isOneSided = change === 'added' || change === 'gone';
  const became = change === 'added' ? `: ${to}` : change === 'gone' ? `, was ${from}` : `: ${from} → ${to}`;
  const changed = (what: string): string => `${action}: ${what} ${WORDS[change]}${became}`;
  switch (kind) {
    case 'outcome':
      return `${action}: ${bare(first?.from)} → ${bare(first?.to)}`;
    case 'status':
      return `status \`${subject}\`: ${bare(first?.from)} → ${bare(first?.to)}`;
    case 'request':
      if (change === 'added') return `${action}: one request more, \`${bare(first?.to)}\``;
      return `${action}: no request \`${bare(first?.from)}\` any more`;
    case 'url':
      return `${action}: URL ${from} → ${to}`;
    case 'header':
      return changed(`request header \`${subject}\``);
    case 'body':
      return changed(`\`${subject === '' ? 'the body' : subject}\``);
    case 'result':
      return changed(`result \`${subject}\``);
    case 'label':
      return change === 'gone' ? `${action}: label no longer found, was ${from}` : changed('label');
    case 'event':
      return changed(isOneSided ? `event \`${subject}\`` : `of an event, \`${subject}\``);
    case 'messages':
      return changed('messages');
  }
};

const SHOWN_MAX = 120;

const show = (value: unknown): string => {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
};

const bare = (value: unknown): string => (typeof value === 'string' ? value : show(value));

const count = (number: number): string => number.toLocaleString('en');

export const differencesAsText = (carriers: readonly CarrierDifferences[]): string => {
  const lines: string[] = [];
  for (const one of carriers) {
    lines.push(`${one.carrier}: ${describeState(one)}`);
    if (one.state !== 'compared') continue;
    for (const group of one.differences) {
      lines.push(`  ${`${count(group.payloads)} of ${count(group.of)}`.padStart(16)}  ${describeDifference(group)}`);
      lines.push(`  ${' '.repeat(16)}  at ${placesOf(group)}`);
    }
  }
  return lines.length === 0 ? 'nothing changes\n' : `${lines.map(plainLine).join('\n')}\n`;
};

const placesOf = ({ examples, payloads }: DifferenceGroup): string =>
  `${examples.map(({ at }) => at).join(', ')}${payloads > examples.length ? ', …' : ''}`;

const describeState = (one: CarrierDifferences): string => {
  switch (one.state) {
    case 'same':
      return 'the same';
    case 'new':
      return 'is new';
    case 'gone':
      return 'is gone';
    case 'broken':
      return `does not load any more: ${one.why}`;
    case 'mended':
      return `did not load before: ${one.why}`;
    case 'compared': {
      const versions = `${one.from.slice(0, 12)} → ${one.to.slice(0, 12)}`;
      if (one.payloads === 0) return `${versions}: there is no traffic to tell by`;
      if (one.changed === 0) return `${versions}: nothing changes for ${count(one.payloads)} payloads`;
      return `${versions}: ${count(one.changed)} of ${count(one.payloads)} payloads change`;
    }
  }
};

export const differencesAsMarkdown = (carriers: readonly CarrierDifferences[]): string => {
  const parts = carriers.map((one) => {
    const head = `### ${one.carrier}\n\n${escaped(describeState(one))}\n`;
    if (one.state !== 'compared' || one.differences.length === 0) return head;
    const rows = one.differences.map(
      (group) =>
        `| ${count(group.payloads)} of ${count(group.of)} | ${escaped(describeDifference(group))} | ${escaped(placesOf(group))} |`,
    );
    return `${head}\n| payloads | what changes | where |\n| ---: | --- | --- |\n${rows.join('\n')}\n`;
  });
  return parts.length === 0 ? 'Nothing changes.\n' : parts.join('\n');
};

/** A row of a table ends at a line's end, a cell at a bar; nothing a carrier writes becomes markup. */
const escaped = (text: string): string => text.replaceAll(/[\\|<>]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ');
