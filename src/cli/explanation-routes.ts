/** `waybill explain --dispatch` for the console. */
import path from 'node:path';
import { Type } from 'typebox';
import { Failure } from '../engine/failure.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { loadCarrier } from '../engine/profile/load.ts';
import { conflict, notFound, ok } from '../platform/api/http-answer.ts';
import { number } from '../platform/api/query-fields.ts';
import { routesOf } from '../platform/api/route.ts';
import type { Extension } from '../platform/processes/api.ts';
import { explainRecorded } from './explain-dispatch.ts';

const SHIPPED = directoryFiles(path.resolve(import.meta.dirname, '../..'));

export const explanations: Extension =
  ({ config }) =>
  (scope, deps) => {
    const homes = { home: directoryFiles(config.home), shipped: SHIPPED };
    routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const)('GET /admin/dispatches/:id/explanation', {
      id: 'explainDispatch',
      role: 'read',
      summary: 'Where each value of a recorded dispatch comes from, and which rule classified each response',
      description:
        'The dispatch is run again, without the network, against the responses that were recorded and with the version ' +
        'of the profile that it was performed with. Secrets are masked.',
      path: Type.Object({ id: number() }),
      reply: [Type.Record(Type.String(), Type.Unknown()), 'As `waybill explain --dispatch <id> --json` prints it.'],
      errors: [404, 409],
      handle: async ({ path: { id } }) => {
        let isLoaded = true;
        try {
          const explanation = await explainRecorded(deps, Number(id), (code, engine) => {
            const { carrier } = loadCarrier(code, homes, undefined, engine);
            isLoaded = carrier !== undefined;
            return carrier;
          });
          if (explanation !== undefined) return ok(explanation);
          return isLoaded
            ? notFound(`There is no dispatch ${id}`, 'unknown_dispatch')
            : conflict(`Dispatch ${id} cannot be explained: its carrier does not load`);
        } catch (thrown) {
          if (!(thrown instanceof Failure)) throw thrown;
          return conflict(`Dispatch ${id} cannot be explained: ${thrown.message}`);
        }
      },
    });
  };
