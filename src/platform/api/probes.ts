/** What may be asked of any process, whatever its role: alive, ready, metrics. */
import Fastify, { type FastifyInstance } from 'fastify';
import type { ApiDeps } from './deps.ts';
import { addErrorAnswers, answerBrokenHttp, SECURITY_HEADERS } from './errors.ts';
import { type HttpAnswer, ok, send, UNAVAILABLE } from './http-answer.ts';

type ProbeDeps = Pick<ApiDeps, 'readiness' | 'metrics'>;

export const health = (): HttpAnswer => ok({ status: 'OK' });

export const readinessOf = async ({ readiness }: ProbeDeps): Promise<HttpAnswer> => {
  const state = await readiness();
  return state.ready ? ok(state) : { ...ok(state), status: UNAVAILABLE };
};

export const metricsOf = async ({ metrics }: ProbeDeps, wholly = true): Promise<HttpAnswer> =>
  ok(await metrics(wholly), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });

const LIMIT_MS = 10_000;

/** For a process without the API: only these, for anybody who reaches the port, as the API has them. */
export const buildProbes = (deps: ProbeDeps & Pick<ApiDeps, 'nowMs' | 'log'>): FastifyInstance => {
  const app = Fastify({
    bodyLimit: 1,
    requestTimeout: LIMIT_MS,
    http: { headersTimeout: LIMIT_MS, maxHeaderSize: 16_384 },
    clientErrorHandler: answerBrokenHttp(deps),
    forceCloseConnections: true,
  });
  addErrorAnswers(app, deps);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  const probes = { '/healthz': health, '/readyz': readinessOf, '/metrics': metricsOf };
  for (const [url, answerOf] of Object.entries(probes))
    app.get(url, async (_request, reply) => send(reply, await answerOf(deps), deps.nowMs()));
  return app;
};
