/** What the routes of the own fleet answer. */
export interface Task {
  readonly id: string;
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly state: string;
  readonly attempts: number;
  readonly customer: {
    readonly name: string;
    readonly phone?: string;
    readonly address: readonly string[];
    readonly latitude: number;
    readonly longitude: number;
  };
  readonly window?: { readonly from: string; readonly to: string };
  readonly weightKg: number;
  readonly crew: number;
  readonly skills: readonly string[];
  readonly vas: readonly {
    readonly vasCode: string;
    readonly itemReferenceNumber?: string;
    readonly remark?: string;
  }[];
  readonly instructions?: string;
  readonly cod?: { readonly amount: number; readonly currency: string };
  readonly packages: readonly {
    readonly itemReferenceNumber: string;
    readonly trackingNumber: string;
    readonly description?: string;
  }[];
}

export interface Stop {
  readonly id: string;
  /** From 0. */
  readonly position: number;
  readonly state: 'pending' | 'en_route' | 'arrived' | 'done' | 'failed' | 'cancelled';
  readonly locked: boolean;
  readonly tasks: readonly Task[];
  readonly latitude: number;
  readonly longitude: number;
  readonly plannedArrival: string;
  readonly plannedDeparture: string;
  readonly eta?: string;
  readonly doneAt?: string;
  readonly reason?: string;
}

export interface Route {
  readonly id: string;
  readonly vehicle: string;
  readonly plate?: string;
  readonly driver: string;
  readonly driverName: string;
  readonly state: 'planned' | 'started' | 'finished' | 'broken_down';
  /** Of a board alone, as the figures below. */
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly distanceKm: number;
  readonly cost: number;
  readonly load: { readonly weightKg?: number; readonly volumeM3?: number };
  readonly violations: readonly Violation[];
  readonly stops: readonly Stop[];
}

interface Violation {
  readonly code: string;
  readonly message: string;
}

export interface Board {
  readonly depot: {
    readonly code: string;
    readonly name: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly timeZone: string;
  };
  readonly day: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly unassigned: readonly { readonly task: Task; readonly why?: string }[];
  /** Open tasks beyond those that a day can plan. */
  readonly left: number;
  readonly costs: { readonly distanceKm: number; readonly cost: number };
}

/** What is changed by hand. */
export type Edit =
  | { readonly kind: 'move'; readonly taskId: string; readonly routeId: string; readonly position?: number }
  | { readonly kind: 'unassign'; readonly taskId: string }
  | { readonly kind: 'lock' | 'unlock'; readonly stopIds: readonly string[] }
  | {
      readonly kind: 'split';
      readonly routeId: string;
      readonly position: number;
      readonly vehicle: string;
      readonly driver: string;
    }
  | { readonly kind: 'reassign'; readonly routeId: string; readonly driver?: string; readonly vehicle?: string };

/** `distanceKm` is that of the whole day afterwards. */
export interface Edited {
  readonly cost: { readonly before: number; readonly after: number; readonly distanceKm: number };
  readonly violations: readonly Violation[];
}

export interface Option {
  /** Undefined: the driver has no route yet. */
  readonly routeId?: string;
  readonly vehicle?: string;
  readonly driver: string;
  readonly position?: number;
  readonly addedCost?: number;
  readonly addedKm?: number;
  readonly arrival?: string;
  /** Where it cannot go. */
  readonly why?: string;
}

export interface Plan {
  readonly id: string;
  readonly depot: string;
  readonly day: string;
  readonly state: 'solving' | 'solved' | 'aborted' | 'failed' | 'adopted';
  readonly progress?: {
    readonly share: number;
    readonly iterations: number;
    readonly cost: number;
    readonly vehicles: number;
    readonly unassigned: number;
  };
  readonly best?: {
    readonly routes: readonly {
      readonly vehicle: string;
      readonly stops: readonly unknown[];
      readonly distanceKm: number;
    }[];
    readonly unassigned: readonly { readonly taskId: string; readonly why: string }[];
  };
  readonly error?: string;
}

export interface Resource {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}
