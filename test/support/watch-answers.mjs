// Checks every answer of every API in the process that loads it, and in all that it starts, against that API's own
// OpenAPI document, whoever asked and however. What is not as described is appended to the file that ANSWER_PROBLEMS
// names, a line of JSON each, before the answer goes out: a process that is killed takes none with it.
// Plain JavaScript, for a Node too old for TypeScript loads it as well; what is heavy is loaded with the first API.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

// A worker of tests loads this anew for each of its files.
const watched = (globalThis[Symbol.for('waybill.watched')] ??= new Set());
const watch = (channel, listener) => {
  if (!watched.has(channel)) subscribe(channel, listener);
  watched.add(channel);
};

watch('fastify.initialization', ({ fastify }) => {
  let checks;
  let check;
  fastify.addHook('onReady', async () => {
    if (fastify.swagger !== undefined) checks = await import('./openapi-answers.ts');
  });
  fastify.addHook('onSend', async (request, reply, payload) => {
    // Where a server listens is no part of what it answers: those that only differ in it share what was compiled.
    check ??= checks?.checkerOf(JSON.stringify({ ...fastify.swagger(), servers: [] }));
    const problem = check?.({
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      contentType: String(reply.getHeader('content-type') ?? ''),
      body: typeof payload === 'string' ? payload : undefined,
    });
    if (problem !== undefined) appendFileSync(process.env.ANSWER_PROBLEMS, `${JSON.stringify(problem)}\n`);
  });
});

const WATCHING = `--import ${import.meta.url}`;

// Whatever environment a child is given: none is left out because somebody forgot to hand these on.
watch('tracing:child_process.spawn:start', ({ options }) => {
  const given = options.envPairs.find((pair) => pair.startsWith('NODE_OPTIONS=')) ?? 'NODE_OPTIONS=';
  options.envPairs = [
    ...options.envPairs.filter((pair) => !/^(?:NODE_OPTIONS|ANSWER_PROBLEMS)=/.test(pair)),
    given.includes(WATCHING) ? given : `${given} ${WATCHING}`,
    `ANSWER_PROBLEMS=${process.env.ANSWER_PROBLEMS}`,
  ];
});
