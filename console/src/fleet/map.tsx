/** Where the routes go, as a drawing: no tiles, and nothing is fetched from elsewhere. */
import type { Board } from './shapes.ts';
import type { Selected } from './timeline.tsx';
import { isLate, wordsOf } from './times.ts';

const SIZE = 600;
const EDGE = 24;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Equirectangular: true enough for a day's round. North is up. */
const projection = (places: readonly Place[]) => {
  const latitudes = places.map(({ latitude }) => latitude);
  const longitudes = places.map(({ longitude }) => longitude);
  const [south, north, west, east] = [
    Math.min(...latitudes),
    Math.max(...latitudes),
    Math.min(...longitudes),
    Math.max(...longitudes),
  ];
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = (SIZE - 2 * EDGE) / Math.max(north - south, (east - west) * narrow, 0.001);
  const height = Math.max(160, (north - south) * scale + 2 * EDGE);
  return {
    height,
    at: ({ latitude, longitude }: Place) => ({
      x: SIZE / 2 + (longitude - (west + east) / 2) * narrow * scale,
      y: height / 2 - (latitude - (south + north) / 2) * scale,
    }),
  };
};

interface MapProps {
  readonly board: Board;
  readonly selected: Selected;
  readonly onSelect: (route: string, stop: string) => void;
}

export const Map = ({ board, selected, onSelect }: MapProps) => {
  const { depot, routes, unassigned } = board;
  const open = unassigned.map(({ task }) => task.customer);
  const { at, height } = projection([depot, ...routes.flatMap(({ stops }) => stops), ...open]);
  const from = at(depot);
  return (
    <figure className="fleet-map">
      <svg
        viewBox={`0 0 ${SIZE} ${height}`}
        role="img"
        aria-label={`Map of ${routes.length} routes from ${depot.name}`}
      >
        {routes.map(({ id, stops }, index) => (
          <g key={id} className={`route-${index % 8} ${selected.route === '' || selected.route === id ? '' : 'dim'}`}>
            <polyline
              points={[depot, ...stops, depot]
                .map(at)
                .map(({ x, y }) => `${x},${y}`)
                .join(' ')}
            />
            {stops.map((stop) => {
              const { x, y } = at(stop);
              return (
                <g
                  key={stop.id}
                  className={`${stop.id === selected.stop ? 'chosen' : ''} ${isLate(stop) ? 'late' : ''}`}
                  onClick={() => onSelect(id, stop.id)}
                >
                  <title>{wordsOf(board, stop)}</title>
                  <circle cx={x} cy={y} r={stop.id === selected.stop ? 12 : 9} />
                  <text x={x} y={y + 3.5}>
                    {stop.position + 1}
                  </text>
                </g>
              );
            })}
          </g>
        ))}
        {unassigned.map(({ task }) => {
          const { x, y } = at(task.customer);
          return (
            <circle key={task.id} className="open" cx={x} cy={y} r={6}>
              <title>{`${task.orderNumber}, without a route`}</title>
            </circle>
          );
        })}
        <rect className="depot" x={from.x - 8} y={from.y - 8} width={16} height={16}>
          <title>{depot.name}</title>
        </rect>
      </svg>
      <figcaption className="faint">Square: the depot. Hollow: without a route. Straight lines, not roads.</figcaption>
    </figure>
  );
};
