/** The stored data, independent of the shape. */
export interface StrangerSignal {
  readonly id: string;
  readonly type: 'trace' | 'metric' | 'log';
  readonly service: string;
  readonly at: Date;
  readonly incidentId: string | null;
}

export interface StrangerIncident {
  readonly id: string;
  readonly rootService: string;
  readonly openedAt: Date;
  readonly status: 'open' | 'closed';
  readonly acknowledgedBy: string | null;
  readonly resolutionNote: string | null;
}

export interface StrangerIntegration {
  readonly id: string;
  readonly type: string;
  /** The whole body it was created with. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The format of one service, where the API document leaves it open. */
export interface Shape {
  id(kind: string, sequence: number): string;
  readonly maxLimit: number;
  readonly newestFirst: boolean;
  incident(incident: StrangerIncident, signals: readonly StrangerSignal[]): object;
  singleIncident(incident: StrangerIncident, signals: readonly StrangerSignal[]): object;
  singleSignal(signal: StrangerSignal): object;
  signals(signals: readonly StrangerSignal[]): object;
  integrations(integrations: readonly StrangerIntegration[]): object;
  /** The response to a successful write. */
  done(id: string): Answer;
  error(status: number, message: string): Answer;
}

export function jsonAnswer(status: number, body: unknown): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

const plain: Shape = {
  id: (kind, sequence) => `${kind}-${sequence}`,
  maxLimit: 100,
  newestFirst: true,
  incident: (incident, signals) => ({
    id: incident.id,
    status: incident.status,
    signal_count: signals.length,
    root_service: incident.rootService,
    opened_at: incident.openedAt.toISOString(),
  }),
  singleIncident: (incident, signals) => ({
    ...plain.incident(incident, signals),
    signals: signals.map((signal) => plain.singleSignal(signal)),
    correlation: 'by trace',
  }),
  singleSignal: (signal) => ({
    id: signal.id,
    type: signal.type,
    service: signal.service,
    timestamp: signal.at.toISOString(),
    ...(signal.incidentId === null ? {} : { incident_id: signal.incidentId }),
  }),
  signals: (signals) => ({ signals: signals.map((signal) => plain.singleSignal(signal)) }),
  integrations: (integrations) => ({
    integrations: integrations.map(({ id, type }) => ({ id, type, status: 'enabled' })),
  }),
  done: () => ({ status: 204 }),
  error: (status, message) => ({ status, contentType: 'text/plain', body: `${message}\n` }),
};

const odd: Shape = {
  id: (_kind, sequence) => String(sequence),
  maxLimit: 20,
  newestFirst: false,
  incident: (incident, signals) => ({
    id: Number(incident.id),
    status: incident.status,
    signal_count: signals.length,
    root_service: incident.rootService,
    opened_at: incident.openedAt.getTime(),
    severity: 2,
  }),
  singleIncident: (incident, signals) => ({
    data: { incident: odd.incident(incident, signals), signal_list: signals.map(oddSignal) },
    correlation: { rule: 7 },
  }),
  singleSignal: (signal) => ({ signal: oddSignal(signal) }),
  signals: (signals) => signals.map(oddSignal),
  integrations: (integrations) => ({
    data: integrations.map(({ id, type, request }) => ({ id: Number(id), type, status: 'OK', config: request })),
    errors: 0,
  }),
  done: (id) => jsonAnswer(200, { ok: true, id: Number(id) }),
  error: (status, message) => jsonAnswer(status, { error: { message } }),
};

function oddSignal(signal: StrangerSignal): object {
  return {
    id: Number(signal.id),
    kind: signal.type.toUpperCase(),
    service: { name: signal.service },
    observed_at: signal.at.getTime(),
    correlation_id: signal.incidentId === null ? null : Number(signal.incidentId),
  };
}

export const SHAPES = { plain, odd } as const satisfies Readonly<Record<string, Shape>>;
export type ShapeName = keyof typeof SHAPES;
