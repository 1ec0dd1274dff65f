/** What a change of a policy does, for people: as text, and as Markdown for a review. */
import { plainLine } from '../../engine/text.ts';
import type { Move, PolicyDifference } from './compare.ts';

export type PolicyChange = { readonly policy: string } & (
  | { readonly state: 'same' | 'new' | 'gone' }
  /** It loads only in one of the versions. */
  | { readonly state: 'broken' | 'mended'; readonly why: string }
  | ({ readonly state: 'compared'; readonly from: string; readonly to: string } & PolicyDifference)
);

const MOVES_MAX = 30;

export const movesAsText = (policies: readonly PolicyChange[]): string =>
  policies
    .flatMap((one) => {
      const head = `policy ${one.policy}: ${describe(one)}`;
      if (one.state !== 'compared') return [head];
      return [
        head,
        ...totalsOf(one).map((line) => `  ${line}`),
        ...shownMoves(one).map(
          (move) => `  ${count(move.orders).padStart(9)}  ${describeMove(move)}  at ${placesOf(move)}`,
        ),
      ];
    })
    .map((line) => `${plainLine(line)}\n`)
    .join('');

export const movesAsMarkdown = (policies: readonly PolicyChange[]): string =>
  policies
    .map((one) => {
      const head = `### policy ${one.policy}\n\n${escaped(describe(one))}\n`;
      if (one.state !== 'compared' || one.moved === 0) return head;
      const totals = totalsOf(one).map((line) => `- ${escaped(line)}\n`);
      const rows = shownMoves(one).map(
        (move) => `| ${count(move.orders)} | ${escaped(describeMove(move))} | ${escaped(placesOf(move))} |\n`,
      );
      return `${head}\n${totals.join('')}\n| orders | what changes | where |\n| ---: | --- | --- |\n${rows.join('')}`;
    })
    .join('\n');

const shownMoves = ({ moves }: PolicyDifference): readonly Move[] => moves.slice(0, MOVES_MAX);

const WORDS = { same: 'the same', new: 'is new', gone: 'is gone' } as const;

const describe = (one: PolicyChange): string => {
  if (one.state === 'broken') return `does not load any more: ${one.why}`;
  if (one.state === 'mended') return `did not load before: ${one.why}`;
  if (one.state !== 'compared') return WORDS[one.state];
  if (one.orders === 0) return 'there are no orders to tell by';
  return `${count(one.moved)} of ${count(one.orders)} orders go elsewhere`;
};

const totalsOf = ({ money, unpriced, days, carriers }: PolicyDifference): readonly string[] => [
  ...Object.entries(money).map(
    ([currency, { from, to }]) => `${currency} ${amount(from)} → ${amount(to)} (${signed(to - from)})`,
  ),
  ...(unpriced === 0 ? [] : [`${count(unpriced)} orders have no price that can be compared`]),
  ...(days === null ? [] : [`${signed(days)} days on average`]),
  ...Object.entries(carriers)
    .filter(([, { from, to }]) => from !== to)
    .map(([carrier, { from, to }]) => `${carrier}: ${count(from)} → ${count(to)} orders`),
];

const describeMove = ({ from, to, money, days }: Move): string => {
  const costs = Object.entries(money).map(([currency, more]) => `${signed(more)} ${currency}`);
  const said = [...costs, ...(days === null ? [] : [`${signed(days)} days`])];
  return `${from ?? 'nobody'} → ${to ?? 'nobody'}${said.length === 0 ? '' : `: ${said.join(', ')}`}`;
};

const placesOf = ({ examples, orders }: Move): string =>
  `${examples.join(', ')}${orders > examples.length ? ', …' : ''}`;

const count = (number: number): string => number.toLocaleString('en');
const amount = (number: number): string =>
  number.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const signed = (number: number): string => `${number < 0 ? '−' : '+'}${amount(Math.abs(number))}`;
const escaped = (text: string): string => text.replaceAll(/[\\|<>]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ');
