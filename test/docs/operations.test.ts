import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/app/config.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import { freshDatabase } from '../support/database.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(PROJECT, name), 'utf8');

describe('what operations.md says', () => {
  const database = freshDatabase();
  const page = read('docs/operations.md');

  it('to watch is there to be watched', async () => {
    const named = [...page.matchAll(/^\| `((?:waybill|nodejs|process)_\w+)` \|/gm)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(5);
    const metrics = createMetrics(database.pool, { counts: () => Promise.resolve({}) } as never);
    const text = await metrics.text();
    for (const name of named) expect(text).toContain(`# TYPE ${name} `);
    const own = [...text.matchAll(/^# TYPE (waybill_\w+) /gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(own));
  });
});

describe('what SECURITY.md says', () => {
  it('is shown by tests that there are', () => {
    const named = [...read('SECURITY.md').matchAll(/`(test\/[\w/.-]+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) expect(existsSync(path.join(PROJECT, name)), name).toBe(true);
  });
});

describe('the container', () => {
  interface Service {
    readonly command?: readonly string[];
    readonly image?: string;
    readonly env_file?: string;
    readonly environment?: Readonly<Record<string, string>>;
  }
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Readonly<Record<'api' | 'worker' | 'postgres' | 'redis', Service>>;
  };

  it('runs API and workers apart, with settings that there are', () => {
    expect(services.api.command).toEqual(['serve', '--role', 'api']);
    expect(services.worker.command).toEqual(['serve', '--role', 'worker']);
    const known: readonly string[] = Object.values(SETTINGS).map(({ variable }) => variable);
    const given = [...read('.env.waybill.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name ?? '');
    for (const name of [...given, ...Object.keys(services.api.environment ?? {})])
      if (name !== 'POSTGRES_PASSWORD') expect(known).toContain(name);
  });

  it('keeps Redis’s jobs, and no secret', () => {
    const command = services.redis.command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(read('compose.yaml')).not.toMatch(/(?:PASSWORD|TOKEN|SECRET_KEY)\s*[:=]/);
    expect(read('.env.waybill.example')).not.toMatch(/^(?:POSTGRES_PASSWORD|WAYBILL_\w+)=./m);
  });

  it('takes in what the Dockerfile copies, and is nobody’s root', () => {
    const taken = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name);
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) =>
      names?.split(' '),
    );
    for (const name of copied) expect(taken).toContain(name);
    expect(read('Dockerfile')).toMatch(/^USER 10001:10001$/m);
  });
});
