/** Preloaded into a server: profiles its main thread when it is told to. */
import { Session } from 'node:inspector/promises';
import { answering } from './machine.ts';

const SAMPLE_EVERY_US = 500;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });

answering(async ({ profile }: { profile: 'start' | 'stop' }): Promise<object> => {
  if (profile === 'stop') return (await session.post('Profiler.stop')).profile;
  await session.post('Profiler.start');
  return {};
});
