import type { Terminal } from './command.ts';

/** One line on stderr that is written over while work goes on; nothing where nobody watches. */
export const createProgress = (terminal: Terminal) => {
  let shown = false;
  return {
    show: (text: string): void => {
      if (!terminal.isWatched) return;
      terminal.overwrite(text);
      shown = true;
    },
    /** Before anything else is written. */
    clear: (): void => {
      if (shown) terminal.overwrite('');
      shown = false;
    },
  };
};

const REDRAW_MS = 100;
const BAR = 24;

/** A bar on a terminal: how far a run of payloads is, how fast, how long it takes. Nothing where nobody watches. */
export const startProgressBar = (terminal: Terminal, nowMs: () => number) => {
  const line = createProgress(terminal);
  const startMs = nowMs();
  let drawnMs = 0;
  return {
    /** `done` of `total`, in whatever they are counted; `items` are the payloads, which people count. */
    show: (done: number, total: number | undefined, items: number): void => {
      if (nowMs() - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs();
      line.show(showProgress({ done, total, items, tookMs: drawnMs - startMs }));
    },
    clear: line.clear,
  };
};

interface Shown {
  readonly done: number;
  readonly total: number | undefined;
  readonly items: number;
  readonly tookMs: number;
}

export const showProgress = ({ done, total, items, tookMs }: Shown): string => {
  const seconds = tookMs / 1_000;
  const rate = seconds > 0 ? items / seconds : 0;
  const so = `${showNumber(items)} payloads  ${showNumber(Math.round(rate))}/s`;
  if (total === undefined || total === 0) return so;
  const share = Math.min(1, done / total);
  const full = Math.round(share * BAR);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}]`;
  const left = share > 0 ? `  ETA ${showTime((seconds / share) * (1 - share))}` : '';
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${so}${left}`;
};

/** 9300 → 9,300. */
export const showNumber = (number: number): string => number.toLocaleString('en');

const showTime = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};
