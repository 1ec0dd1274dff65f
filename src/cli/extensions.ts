/** What the server gets from the workbench, which the platform does not know. */
import type { Extension } from '../platform/api/api.ts';
import { addExplanationRoutes } from './explanation-routes.ts';

export const EXTENSIONS: readonly Extension[] = [{ addRoutes: addExplanationRoutes }];
