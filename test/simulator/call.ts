// Calls a simulated carrier as the platform would, and reads the answer loosely, as tests do.
import { afterEach, beforeEach } from 'vitest';
import { start } from '../../simulator/server.ts';
import type { Simulator, SimulatorOptions } from '../../simulator/simulator.ts';

/** A simulator of its own for each test of a file. */
export function simulating(options: SimulatorOptions, opened: (simulator: Simulator) => void): void {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await start(options);
    opened(simulator);
  });
  afterEach(async () => {
    await simulator.close();
  });
}

/** Decoded JSON of whatever shape: the tests say what they expect of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The decoded JSON, or undefined. */
  readonly body: Loose;
}

export async function call(
  method: string,
  url: string,
  request: { headers?: Record<string, string>; json?: unknown; signal?: AbortSignal } = {},
): Promise<Called> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...request.headers },
    ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: response.status, headers: response.headers, bytes, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
