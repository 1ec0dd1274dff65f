/** What the server gets from the workbench, and what runs beside it: the platform knows nothing of either. */
import type { Extension } from '../platform/processes/api.ts';
import type { Companion } from '../platform/processes/companion.ts';
import { driverPage } from './driver-page.ts';
import { explanations } from './explanation-routes.ts';
import { ownFleet } from './fleet.ts';
import { playground } from './playground.ts';
import { statusTables } from './status-routes.ts';

export const EXTENSIONS: readonly Extension[] = [explanations, statusTables, playground, driverPage];
export const COMPANIONS: readonly Companion[] = [ownFleet];
