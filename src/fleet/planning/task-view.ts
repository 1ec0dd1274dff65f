/** A task as operators and drivers see it. */
import { addressLines } from '../../engine/labels/address.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { customerEnd, type Demand } from '../contract/demand.ts';
import type { FleetDeps } from '../ports.ts';

interface TaskRecord {
  readonly id: number;
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly exchange: string | undefined;
  readonly depot: string;
  readonly zone: string | undefined;
  readonly state: string;
  readonly attempts: number;
  readonly consignment: Consignment;
  readonly demand: Demand;
  readonly stopId: number | undefined;
  readonly routeId: number | undefined;
  readonly packages: readonly {
    readonly itemReference: string;
    readonly trackingNumber: string;
    readonly labelId: string;
    readonly state: string | null;
  }[];
}

const instantOf = (ms: number): string => new Date(ms).toISOString();
const text = (id: number | undefined): string | undefined => (id === undefined ? undefined : String(id));

/** In the order of the ids. */
export const viewTasks = async (
  { database, publicUrl }: Pick<FleetDeps, 'database' | 'publicUrl'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReturnType<typeof viewOf>>> => {
  const rows = await database.all<TaskRecord>`
    select t.id, t.reference_id, t.order_number, t.kind, t.exchange, t.depot, t.zone, t.state, t.attempts, t.consignment,
      t.demand, t.stop_id, s.route_id,
      (select coalesce(jsonb_agg(jsonb_build_object('itemReference', item_reference, 'trackingNumber', tracking_number,
        'labelId', label_id, 'state', p.state) order by position), '[]')
       from fleet.packages p where p.task_id = t.id and not revoked) as packages
    from fleet.tasks t left join fleet.stops s on s.id = t.stop_id where t.id = any(${ids}::bigint[])`;
  return new Map(rows.map((row) => [row.id, viewOf(row, publicUrl)]));
};
export type TaskView = ReturnType<typeof viewOf>;

const viewOf = (task: TaskRecord, publicUrl: string) => {
  const { consignment, demand } = task;
  const end = customerEnd(consignment);
  const { window, weightKg, volumeM3, pallets, crew, skills, vehicleType, priority, serviceMinutes } = demand;
  const { paymentMode, amountToBeCollected, currencyCode, vas = [], itemList } = consignment;
  const names = new Map(itemList.map(({ itemReferenceNumber, itemName }) => [itemReferenceNumber, itemName]));
  return {
    id: String(task.id),
    referenceId: task.referenceId,
    orderNumber: task.orderNumber,
    kind: task.kind,
    exchangeWith: task.exchange,
    depot: task.depot,
    zone: task.zone,
    state: task.state,
    attempts: task.attempts,
    customer: {
      name: consignment[`${end}Name`] ?? consignment[`${end}ContactPerson`],
      phone: consignment[`${end}ContactNumber`],
      address: addressLines(consignment, end),
      latitude: demand.latitude,
      longitude: demand.longitude,
    },
    window: window && { from: instantOf(window.fromMs), to: instantOf(window.toMs) },
    serviceMinutes,
    weightKg,
    volumeM3,
    pallets,
    crew,
    skills,
    vehicleType,
    priority,
    vas: vas.map(({ vasCode, targetIds, remark }) => ({ vasCode, itemReferenceNumber: targetIds?.[0], remark })),
    instructions: consignment.deliveryInstructions ?? consignment.info?.specialInstructions,
    cod: paymentMode === 'COD' ? { amount: amountToBeCollected, currency: currencyCode } : undefined,
    packages: task.packages.map(({ itemReference, trackingNumber, labelId, state }) => ({
      itemReferenceNumber: itemReference,
      trackingNumber,
      description: names.get(itemReference),
      labelUrl: `${publicUrl}/fleet/v1/carrier/labels/${labelId}`,
      state,
    })),
    stopId: text(task.stopId),
    routeId: text(task.routeId),
  };
};
