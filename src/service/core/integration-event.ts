import type { IntegrationEventType } from '../../contract/events.ts';
import type { IncidentEvent } from './incident-event.ts';
import type { ScheduleEvent } from './schedule-event.ts';

/** A webhook was disabled because its receiver failed, or enabled again. */
export interface IntegrationEvent {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: IntegrationEventType;
  readonly occurredAt: Date;
  readonly integration: IntegrationState;
}

/** An integration right after the change. */
export interface IntegrationState {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
  /** null: it is enabled. */
  readonly reason: string | null;
  /** RFC 3339. Time of the first failure after its last success; null: it is enabled. */
  readonly failingSince: string | null;
}

export type ServiceEvent = IncidentEvent | IntegrationEvent | ScheduleEvent;
