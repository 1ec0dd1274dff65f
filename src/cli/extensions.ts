/** What the server gets from the workbench, of which the platform knows nothing. */
import type { Extension } from '../platform/processes/api.ts';
import { explanations } from './explanation-routes.ts';
import { statusTables } from './status-routes.ts';

export const EXTENSIONS: readonly Extension[] = [explanations, statusTables];
