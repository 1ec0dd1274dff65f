/** Routes as lines of time: stops where they are expected, their windows below, and now. */
import { type CSSProperties, useEffect, useState } from 'react';
import type { Board, Route, Stop } from './shapes.ts';
import { clockOf, isLate, isOver, wordsOf } from './times.ts';

export interface Selected {
  readonly route: string;
  readonly stop: string;
}
interface TimelineProps {
  readonly board: Board;
  readonly selected: Selected;
  readonly onSelect: (route: string, stop: string) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LANES = 6;

export const Timeline = ({ board, selected, onSelect }: TimelineProps) => {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const all = board.routes.flatMap(({ startsAt, endsAt, stops }) => [
    ...[startsAt, endsAt].flatMap((at) => at ?? []),
    ...stops.flatMap(({ plannedArrival, eta = plannedArrival, plannedDeparture }) => [eta, plannedDeparture]),
  ]);
  const times = all.map((at) => Date.parse(at));
  const fromMs = Math.floor(Math.min(...times) / HOUR_MS) * HOUR_MS;
  const toMs = Math.ceil((Math.max(...times) + 1) / HOUR_MS) * HOUR_MS;
  const share = (at: string | number): number =>
    Math.min(100, Math.max(0, ((new Date(at).getTime() - fromMs) / (toMs - fromMs)) * 100));
  const hours = Array.from({ length: Math.round((toMs - fromMs) / HOUR_MS) }, (_, at) => fromMs + at * HOUR_MS);
  const width = widthOf(board, (toMs - fromMs) / MINUTE_MS);
  return (
    <div
      className="fleet-lines"
      role="region"
      aria-label="Time lines of the routes"
      tabIndex={0}
      style={{ '--track': `${width}rem` } as CSSProperties}
    >
      <div className="fleet-line" aria-hidden="true">
        <span />
        <div className="fleet-hours">
          {hours.map((hour) => (
            <span key={hour} style={{ left: `${share(hour)}%` }}>
              {clockOf(board, hour)}
            </span>
          ))}
        </div>
      </div>
      {board.routes.map((route, at) => (
        <div key={route.id} className="fleet-line">
          <button
            type="button"
            className="quiet fleet-name"
            aria-pressed={selected.route === route.id}
            onClick={() => onSelect(route.id, '')}
          >
            <i className={`swatch route-${at % 8}`} aria-hidden="true" />
            <strong>{route.vehicle}</strong> {route.driverName}
            <span className="faint">
              {route.state.replace('_', ' ')} · {route.stops.length} stops · {Math.round(route.distanceKm)} km
            </span>
          </button>
          <div className="fleet-track">
            {hours.map((hour) => (
              <i key={hour} className="hour" style={{ left: `${share(hour)}%` }} />
            ))}
            {route.startsAt !== undefined && route.endsAt !== undefined && (
              <i className="span" style={between(share(route.startsAt), share(route.endsAt))} />
            )}
            {windowsOf(route).map(({ key, from, to, isOf }, lane) => (
              <i
                key={key}
                className={`window ${isOf === selected.stop ? 'chosen' : ''}`}
                style={{ ...between(share(from), share(to)), top: `${2.2 + (lane % LANES) * 0.25}rem` }}
              />
            ))}
            {route.stops.map((stop) => (
              <button
                key={stop.id}
                type="button"
                className={kindOf(stop)}
                aria-pressed={selected.stop === stop.id}
                aria-label={wordsOf(board, stop)}
                title={wordsOf(board, stop)}
                style={{ left: `${share(timeOf(stop))}%` }}
                onClick={() => onSelect(route.id, stop.id)}
              >
                {stop.position + 1}
              </button>
            ))}
            {nowMs > fromMs && nowMs < toMs && <i className="now" style={{ left: `${share(nowMs)}%` }} />}
          </div>
        </div>
      ))}
    </div>
  );
};

/** As wide as neighbouring stops need to stand side by side, within reason. */
const widthOf = ({ routes }: Board, minutes: number): number => {
  const gaps = routes.flatMap(({ stops }) =>
    stops.slice(1).map((stop, at) => Math.abs(timeOf(stop) - timeOf(stops[at] ?? stop)) / MINUTE_MS),
  );
  return Math.min(WIDEST, Math.max(NARROWEST, (minutes / Math.max(CLOSEST, Math.min(...gaps))) * STOP_WIDTH));
};
const NARROWEST = 46;
const WIDEST = 320;
const STOP_WIDTH = 2;
/** Minutes; what is closer overlaps. */
const CLOSEST = 4;

const timeOf = ({ doneAt, eta, plannedArrival }: Stop): number => Date.parse(doneAt ?? eta ?? plannedArrival);

const between = (from: number, to: number) => ({ left: `${from}%`, width: `${to - from}%` });

const kindOf = (stop: Stop): string =>
  `stop ${isLate(stop) ? 'late' : isOver(stop) ? stop.state : ''} ${stop.locked ? 'locked' : ''}`;

const windowsOf = ({ stops }: Route) =>
  stops.flatMap(({ id, tasks }) =>
    tasks.flatMap(({ id: key, window }) => (window === undefined ? [] : [{ key, ...window, isOf: id }])),
  );
