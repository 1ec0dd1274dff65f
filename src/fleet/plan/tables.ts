/** Travel by road: the tables of OSRM or Valhalla, block by block, since both limit the places of one request. */
import { askService, type Service, unexpected } from './ask.ts';
import type { Place, TravelSource } from './problem.ts';

export interface TableOptions extends Omit<Service, 'name'> {
  /** Sources, and as many targets, of one request; 50, as OSRM allows 100 places by default. */
  readonly blockPlaces?: number | undefined;
}

/** Where no road leads: further than any shift, and a number. */
export const UNREACHABLE = 1e9;

interface Cell {
  readonly durationS: number | null | undefined;
  readonly distanceM: number | null | undefined;
}
type Block = readonly (readonly Cell[])[];
type AskBlock = (
  sources: readonly Place[],
  targets: readonly Place[],
  signal?: AbortSignal,
) => Promise<Block | undefined>;

const inBlocks =
  (askBlock: AskBlock, name: string, blockPlaces = 50): TravelSource =>
  async (places, signal) => {
    const size = places.length ** 2;
    const table = { durationsS: new Float64Array(size), distancesM: new Float64Array(size) };
    const starts = Array.from({ length: Math.ceil(places.length / blockPlaces) }, (_, block) => block * blockPlaces);
    for (const from of starts) {
      for (const to of starts) {
        const sources = places.slice(from, from + blockPlaces);
        const targets = places.slice(to, to + blockPlaces);
        const block = await askBlock(sources, targets, signal);
        for (const row of sources.keys()) {
          for (const column of targets.keys()) {
            const cell = block?.[row]?.[column];
            if (cell === undefined) throw unexpected(name, block ?? 'something else than a table');
            const at = (from + row) * places.length + to + column;
            table.durationsS[at] = cell.durationS ?? UNREACHABLE;
            table.distancesM[at] = cell.distanceM ?? UNREACHABLE;
          }
        }
      }
    }
    return table;
  };

type Numbers = readonly (readonly (number | null)[])[];

const indexes = (from: number, count: number): string => Array.from({ length: count }, (_, at) => from + at).join(';');

/** `GET /table/v1/…` of OSRM 5 and later. */
export const createOsrm = (options: TableOptions): TravelSource => {
  const service = { ...options, name: 'OSRM' };
  const askBlock: AskBlock = async (sources, targets, signal) => {
    const at = [...sources, ...targets].map(
      ({ latitude, longitude }) => `${longitude.toFixed(6)},${latitude.toFixed(6)}`,
    );
    const query = `sources=${indexes(0, sources.length)}&destinations=${indexes(sources.length, targets.length)}`;
    const path = `/table/v1/driving/${at.join(';')}?${query}&annotations=duration,distance`;
    const answer = await askService(service, path, undefined, signal);
    const { durations, distances } = (answer ?? {}) as { durations?: Numbers; distances?: Numbers };
    if (!Array.isArray(durations) || !Array.isArray(distances)) throw unexpected('OSRM', answer);
    return sources.map((_, row) =>
      targets.map((_, column) => ({ durationS: durations[row]?.[column], distanceM: distances[row]?.[column] })),
    );
  };
  return inBlocks(askBlock, 'OSRM', options.blockPlaces);
};

const located = (places: readonly Place[]): unknown =>
  places.map(({ latitude, longitude }) => ({ lat: latitude, lon: longitude }));

type ValhallaRows = readonly (readonly { readonly time?: number | null; readonly distance?: number | null }[])[];

/** `POST /sources_to_targets` of Valhalla 3. */
export const createValhalla = (options: TableOptions): TravelSource => {
  const service = { ...options, name: 'Valhalla' };
  const askBlock: AskBlock = async (sources, targets, signal) => {
    const body = {
      sources: located(sources),
      targets: located(targets),
      costing: 'auto',
      units: 'kilometers',
      verbose: true,
    };
    const answer = await askService(service, '/sources_to_targets', body, signal);
    const { sources_to_targets: rows } = (answer ?? {}) as { sources_to_targets?: ValhallaRows };
    if (rows === undefined || !Array.isArray(rows)) throw unexpected('Valhalla', answer);
    return (rows as ValhallaRows).map((row) =>
      row.map(({ time, distance }) => ({
        durationS: time,
        distanceM: typeof distance === 'number' ? distance * 1000 : null,
      })),
    );
  };
  return inBlocks(askBlock, 'Valhalla', options.blockPlaces);
};
