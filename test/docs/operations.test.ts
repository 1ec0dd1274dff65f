import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMPANIONS } from '../../src/cli/extensions.ts';
import { settingsOf } from '../../src/platform/processes/companion.ts';
import { SETTINGS } from '../../src/platform/processes/config.ts';
import type { Settings } from '../../src/platform/processes/setting.ts';
import { createMetrics } from '../../src/platform/processes/metrics.ts';
import { freshDatabase } from '../support/database.ts';
import { read } from '../support/project.ts';

const namesIn = (file: string): readonly string[] =>
  [...read(file).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name ?? '');

describe('what operations.md says', () => {
  const database = freshDatabase();
  const page = read('docs/operations.md');

  it('to watch is there to be watched', async () => {
    const named = [...page.matchAll(/^\| `((?:waybill|nodejs|process)_\w+)` \|/gm)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(5);
    const metrics = createMetrics(database.pool);
    metrics.refused(401, 'Carriers');
    metrics.watchTurns({ waiting: () => 3 });
    metrics.watchLimits(() => true);
    metrics.watchLeft(() => 0);
    metrics.watchBreakers(() => []);
    metrics.watchRefused(() => 0);
    const text = await metrics.text();
    for (const name of named) expect(text).toContain(`# TYPE ${name} `);
    expect(text).toContain('waybill_requests_refused_total{status="401",area="Carriers"} 1');
    const own = [...text.matchAll(/^# TYPE (waybill_\w+) /gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(own));
  });
});

describe('what README says', () => {
  const README = read('README.md');

  it('of the configuration is what the server reads', () => {
    const rows = Object.values<Settings[string]>({ ...SETTINGS, ...settingsOf(COMPANIONS) }).map(
      (setting) => `| \`${setting.variable}\` | ${setting.default} | ${setting.description} |`,
    );
    expect(README).toContain(['| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n'));
  });

  it('names only scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const named = [...README.matchAll(/npm (?:run (?:-s )?)?(\w+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
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
    for (const name of [...namesIn('.env.waybill.example'), ...Object.keys(services.api.environment ?? {})])
      expect(known).toContain(name);
  });

  it('keeps Redis’s jobs, and no secret', () => {
    const command = services.redis.command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(read('compose.yaml')).not.toMatch(/(?:PASSWORD|TOKEN|SECRET_KEY)\s*[:=]/);
    for (const file of ['.env.waybill.example', '.env.postgres.example'])
      expect(read(file)).not.toMatch(/^(?:POSTGRES_PASSWORD|WAYBILL_\w+)=./m);
  });

  it('gives PostgreSQL no key to what it keeps, and nobody but it its own file', () => {
    expect(services.postgres.env_file).toBe('.env.postgres');
    expect(namesIn('.env.postgres.example')).toEqual(['POSTGRES_PASSWORD']);
    for (const service of [services.api, services.worker]) expect(service.env_file).toBe('.env.waybill');
    expect(services.redis.env_file).toBeUndefined();
    for (const file of ['.env.waybill', '.env.postgres']) expect(read('.gitignore').split('\n')).toContain(file);
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
