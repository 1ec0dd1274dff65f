import { relative } from 'node:path';
import type { Platform } from './platform.ts';
import { stateFolder } from './records.ts';

/** What a person sees when the server is up: where it listens, what it loaded, what to try next. One screen. */
export const bannerOf = (
  platform: Pick<Platform, 'carriers' | 'config' | 'records' | 'queues' | 'adminToken'>,
  { role, url }: { readonly role: string; readonly url: string | undefined },
): string => {
  const { carriers, config, records, queues } = platform;
  const loaded = carriers.list().map(({ code, name }) => `    ${code.padEnd(18)} ${name}`);
  const broken = carriers
    .broken()
    .map((code) => `    ${code.padEnd(18)} has errors: npm run -s waybill -- lint ${code}`);
  const isOurs = config.adminToken === undefined;
  return [
    '',
    `  Waybill (${role})${url === undefined ? '' : ` listens on ${url}`}`,
    '',
    `  records   ${records.isOwn ? `own PostgreSQL in ${relative(process.cwd(), stateFolder(config)) || '.'}/postgres` : 'PostgreSQL of DATABASE_URL'}`,
    `  queue     ${queues.backend === 'redis' ? 'Redis of REDIS_URL' : 'in the same PostgreSQL'}`,
    ...(isOurs ? [`  admin     Bearer ${platform.adminToken}`, '            (kept in .waybill/admin-token)'] : []),
    '',
    `  carriers  ${loaded.length === 0 ? `none yet: put a profile into ${config.home}/carriers/` : ''}`,
    ...loaded.slice(0, MAX_LISTED),
    ...(loaded.length > MAX_LISTED ? [`    and ${loaded.length - MAX_LISTED} more`] : []),
    ...broken,
    ...(url === undefined
      ? []
      : [
          '',
          '  next      npm run demo                    the whole journey against simulated carriers',
          '            npm run -s waybill -- lint      check the profiles',
          `            curl ${url}/readyz`,
          `            ${url}/docs                the API, for people; /openapi.json for programs`,
        ]),
    '',
    '',
  ].join('\n');
};

const MAX_LISTED = 20;
