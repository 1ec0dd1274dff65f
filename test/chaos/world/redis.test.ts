import { expect, it } from 'vitest';
import { describeRedis } from '../../support/redis.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { asClient, dumpCommands, keepCommands } from './redis.ts';

describeRedis('a Redis whose commands are kept', () => {
  it('finds what Redis was told, though nothing of it is left there', async () => {
    const server = await startRedisServer();
    try {
      await keepCommands(server.url);
      await asClient(server.url, async (client) => {
        await client.eval(`redis.call('HSET', KEYS[1], 'data', ARGV[1])`, 1, 'job', 'a-secret-of-42');
        await client.del('job');
      });
      const pieces: string[] = [];
      const bytes = await dumpCommands(server.url, (text) => pieces.push(text));
      expect(pieces.join('\n')).toContain('a-secret-of-42');
      expect(bytes).toBeGreaterThan(0);
    } finally {
      await server.stop();
    }
  });
});
