/** For operators: the configuration of the process that answers. */
import packageJson from '../../../package.json' with { type: 'json' };
import { Settings } from './console-shapes.ts';
import { ok } from './http-answer.ts';
import { type AddRoutes, routesOf } from './route.ts';

export const addSettingRoutes: AddRoutes = (scope, deps) => {
  routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const)('GET /admin/settings', {
    id: 'readSettings',
    role: 'read',
    summary: 'The version and configuration of this process; never a secret',
    reply: [Settings, 'As it was started.'],
    handle: () => ok({ version: packageJson.version, node: process.version, settings: deps.settings }),
  });
};
