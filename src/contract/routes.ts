import type { z } from 'zod';
import {
  AcknowledgeRequest,
  ChangeIncidentQuery,
  CreateIntegrationRequest,
  CreateMuteRequest,
  DeleteMuteQuery,
  ListIncidentSignalsQuery,
  ListIncidentsQuery,
  ListSignalsQuery,
  NoQuery,
  NoteRequest,
  PageQuery,
  ReadIncidentQuery,
  ReasonRequest,
  ResendRequest,
  ResolveRequest,
} from './requests.ts';
import {
  Delivery,
  DeliveryList,
  Incident,
  IncidentList,
  Integration,
  IntegrationList,
  Mute,
  MuteList,
  Resending,
  Signal,
  SignalList,
} from './resources.ts';

/** An `ingest` key may only send signals. A read-write key may send them too. */
export const SCOPES = ['read-only', 'read-write', 'ingest'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base address, which ends in `/v1`; `{id}` and `{delivery_id}` are path parameters. */
  readonly path: string;
  /** The lowest scope that may call it. */
  readonly scope: Exclude<Scope, 'ingest'>;
  readonly summary: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType | null;
  /** The status of success. */
  readonly status: 200 | 201 | 204;
  /** null: the response has no body. */
  readonly response: z.ZodType | null;
  /** The response has an `ETag`, and the request may have this header (RFC 9110, 13.1). */
  readonly condition?: 'if-none-match' | 'if-match';
}

/**
 * The ten endpoints of the service document, and our additions: undo, notes, mutes, and the deliveries of
 * a webhook. The server binds them and the client calls them from this table.
 */
export const routes = {
  listIncidents: {
    method: 'GET',
    path: '/incidents',
    scope: 'read-only',
    summary: 'List incidents, newest first',
    query: ListIncidentsQuery,
    body: null,
    status: 200,
    response: IncidentList,
  },
  getIncident: {
    method: 'GET',
    path: '/incidents/{id}',
    scope: 'read-only',
    summary: 'Read one incident with its signals and how they were correlated',
    query: ReadIncidentQuery,
    body: null,
    status: 200,
    response: Incident,
    condition: 'if-none-match',
  },
  acknowledgeIncident: {
    method: 'POST',
    path: '/incidents/{id}/acknowledge',
    scope: 'read-write',
    summary: 'Mark an incident acknowledged; the first acknowledgement stays',
    query: ChangeIncidentQuery,
    body: AcknowledgeRequest,
    status: 200,
    response: Incident,
    condition: 'if-match',
  },
  resolveIncident: {
    method: 'POST',
    path: '/incidents/{id}/resolve',
    scope: 'read-write',
    summary: 'Close an incident with a resolution note',
    query: ChangeIncidentQuery,
    body: ResolveRequest,
    status: 200,
    response: Incident,
    condition: 'if-match',
  },
  unacknowledgeIncident: {
    method: 'POST',
    path: '/incidents/{id}/unacknowledge',
    scope: 'read-write',
    summary: 'Take back the acknowledgement of an open incident',
    query: ChangeIncidentQuery,
    body: ReasonRequest,
    status: 200,
    response: Incident,
    condition: 'if-match',
  },
  reopenIncident: {
    method: 'POST',
    path: '/incidents/{id}/reopen',
    scope: 'read-write',
    summary: 'Open a closed incident again',
    query: ChangeIncidentQuery,
    body: ReasonRequest,
    status: 200,
    response: Incident,
    condition: 'if-match',
  },
  addNote: {
    method: 'POST',
    path: '/incidents/{id}/notes',
    scope: 'read-write',
    summary: 'Add a note to the timeline of an incident',
    query: ChangeIncidentQuery,
    body: NoteRequest,
    status: 200,
    response: Incident,
    condition: 'if-match',
  },
  listIncidentSignals: {
    method: 'GET',
    path: '/incidents/{id}/signals',
    scope: 'read-only',
    summary: 'List the signals grouped under one incident',
    query: ListIncidentSignalsQuery,
    body: null,
    status: 200,
    response: SignalList,
  },
  listSignals: {
    method: 'GET',
    path: '/signals',
    scope: 'read-only',
    summary: 'List raw signals, newest first',
    query: ListSignalsQuery,
    body: null,
    status: 200,
    response: SignalList,
  },
  getSignal: {
    method: 'GET',
    path: '/signals/{id}',
    scope: 'read-only',
    summary: 'Read one signal',
    query: NoQuery,
    body: null,
    status: 200,
    response: Signal,
  },
  listMutes: {
    method: 'GET',
    path: '/mutes',
    scope: 'read-only',
    summary: 'List the mutes that have not ended',
    query: NoQuery,
    body: null,
    status: 200,
    response: MuteList,
  },
  createMute: {
    method: 'POST',
    path: '/mutes',
    scope: 'read-write',
    summary: 'Mute an incident, a service or an integration until a time',
    query: NoQuery,
    body: CreateMuteRequest,
    status: 201,
    response: Mute,
  },
  deleteMute: {
    method: 'DELETE',
    path: '/mutes/{id}',
    scope: 'read-write',
    summary: 'End a mute',
    query: DeleteMuteQuery,
    body: null,
    status: 204,
    response: null,
  },
  listIntegrations: {
    method: 'GET',
    path: '/integrations',
    scope: 'read-only',
    summary: 'List the integrations and their status',
    query: PageQuery,
    body: null,
    status: 200,
    response: IntegrationList,
  },
  createIntegration: {
    method: 'POST',
    path: '/integrations',
    scope: 'read-write',
    summary: 'Create an integration, or return the existing one with the same natural key',
    query: NoQuery,
    body: CreateIntegrationRequest,
    status: 201,
    response: Integration,
  },
  deleteIntegration: {
    method: 'DELETE',
    path: '/integrations/{id}',
    scope: 'read-write',
    summary: 'Remove an integration',
    query: NoQuery,
    body: null,
    status: 204,
    response: null,
  },
  listDeliveries: {
    method: 'GET',
    path: '/integrations/{id}/deliveries',
    scope: 'read-only',
    summary: 'List the attempts to deliver events to a webhook, newest first',
    query: PageQuery,
    body: null,
    status: 200,
    response: DeliveryList,
  },
  resendDelivery: {
    method: 'POST',
    path: '/integrations/{id}/deliveries/{delivery_id}/resend',
    scope: 'read-write',
    summary: 'Send the event of one delivery again',
    query: NoQuery,
    body: null,
    status: 200,
    response: Resending,
  },
  resendEvents: {
    method: 'POST',
    path: '/integrations/{id}/resend',
    scope: 'read-write',
    summary: 'Send the failed events, or all events, since a time again',
    query: NoQuery,
    body: ResendRequest,
    status: 200,
    response: Resending,
  },
  testIntegration: {
    method: 'POST',
    path: '/integrations/{id}/test',
    scope: 'read-write',
    summary: 'Send a test event to a webhook now and return the result',
    query: NoQuery,
    body: null,
    status: 200,
    response: Delivery,
  },
  enableIntegration: {
    method: 'POST',
    path: '/integrations/{id}/enable',
    scope: 'read-write',
    summary: 'Enable a disabled webhook, which then continues where it stopped',
    query: NoQuery,
    body: null,
    status: 200,
    response: Integration,
  },
  rotateIntegrationSecret: {
    method: 'POST',
    path: '/integrations/{id}/rotate-secret',
    scope: 'read-write',
    summary: 'Replace the signing secret of a webhook; the previous one also signs for 24 hours',
    query: NoQuery,
    body: null,
    status: 200,
    response: Integration,
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof routes;
