// One request from the socket to the answer: its carrier, the problem asked for, the log.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer } from './answer.ts';
import type { Applied } from './behaviour.ts';
import type { CarrierRequest, CarrierResponse, Mischief, SimulatedCarrier } from './carrier.ts';
import { control } from './control.ts';
import type { Log } from './log.ts';
import { json } from './reply.ts';
import type { LoggedRequest, Running } from './simulator.ts';
import type { Host } from './world.ts';

const bodyLimit = 5_000_000;

export interface Serving {
  readonly running: Running;
  readonly hosts: ReadonlyMap<string, Host>;
  readonly requests: Log<LoggedRequest>;
  readonly signal: AbortSignal;
}

/** Serves one request. */
export async function serve(incoming: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://simulator.invalid');
  const [, first = '', ...rest] = url.pathname.split('/');
  const body = await readBody(incoming);
  if (!body) {
    await answer(response, json(413, { error: 'body too large' }), null, serving.signal);
    return;
  }
  if (first === '_control') {
    const reply = await control(incoming.method ?? 'GET', rest.join('/'), body, serving.running);
    await answer(response, reply, null, serving.signal);
    return;
  }
  const host = serving.hosts.get(first);
  if (!host) {
    await answer(response, json(404, { error: `no carrier "${first}"` }), null, serving.signal);
    return;
  }
  const findings: string[] = [];
  const method = incoming.method ?? 'GET';
  const path = `/${rest.join('/')}`;
  const problem = host.behaviours.take(method, path);
  const request: CarrierRequest = {
    method,
    path,
    query: url.searchParams,
    headers: incoming.headers,
    body,
    mischief: mischiefOf(problem, host.carrier),
    placeholder: { asks: problem?.asks ?? 0, status: problem?.status ?? 404 },
    remark: (finding) => findings.push(finding),
  };
  const good = await act(host, request, problem);
  const silent = problem?.do === 'hang' || problem?.do === 'reset';
  serving.requests.add({
    at: host.world.now().toISOString(),
    carrier: first,
    method,
    path: path + url.search,
    headers: incoming.headers,
    body: body.toString('utf8'),
    status: silent ? null : problem?.do === 'html' ? problem.status : good.status,
    problem: problem?.do ?? null,
    findings,
  });
  await answer(response, good, problem, serving.signal);
}

/** Lets the carrier do its work, unless it shall not act; a bug of a carrier shows as 500 and in the log. */
async function act(host: Host, request: CarrierRequest, problem: Applied | null): Promise<CarrierResponse> {
  const refuse = (status: number, message: string): CarrierResponse => host.carrier.refuse(status, message, request);
  try {
    const done = problem && !problem.acted ? null : await host.carrier.handle(request, host.world);
    if (problem?.do === 'status') return refuse(problem.status, problem.message);
    return done ?? refuse(500, 'not acted upon');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    request.remark(`the simulator failed: ${cause}`);
    return json(500, { error: `the simulator failed: ${cause}` });
  }
}

function mischiefOf(problem: Applied | null, carrier: SimulatedCarrier): Mischief | null {
  return carrier.mischief.find((mischief) => mischief === problem?.do) ?? null;
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
  }
  return size > bodyLimit ? null : Buffer.concat(chunks);
}
