import { createStrangerAdditions } from './stranger-additions.ts';
import { createStrangerConditions } from './stranger-conditions.ts';
import {
  type Answer,
  jsonAnswer,
  SHAPES,
  type ShapeName,
  type StrangerIncident,
  type StrangerIntegration,
  type StrangerSignal,
} from './stranger-shapes.ts';

export interface RecordedRequest {
  readonly method: string;
  /** Relative to the base address, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** undefined: none. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface NewSignal {
  readonly type: StrangerSignal['type'];
  /** Default: the incident's root service. */
  readonly service?: string;
}

export interface NewIncident {
  readonly service: string;
  /** Default: one trace of the service. */
  readonly signals?: readonly NewSignal[];
  readonly openedAt?: Date;
}

const FRESH = { status: 'open', acknowledgedBy: null, resolutionNote: null } as const;

/** An error of the service; its message becomes the body. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The data of a stranger service, and the ten operations of the API document.
 *
 * @param additionsNow the clock of Tocsin's additions; null: the service has none
 */
export function createStrangerOperations(
  shapeName: ShapeName,
  apiKey: string,
  additionsNow: (() => Date) | null = null,
) {
  const shape = SHAPES[shapeName];
  const incidents = new Map<string, StrangerIncident>();
  const signals = new Map<string, StrangerSignal>();
  const integrations = new Map<string, StrangerIntegration>();
  const hidden = new Set<string>();
  const additions =
    additionsNow &&
    createStrangerAdditions({
      now: additionsNow,
      incident,
      change: (id, change) => incidents.set(id, { ...incident(id), ...change }),
      open: (service) => openIncident({ service, signals: [], openedAt: additionsNow() }),
      show: singleIncident,
      services: (id) => [...new Set([incident(id).rootService, ...signalsOf(id).map(({ service }) => service)])],
    });
  const conditions = additionsNow && createStrangerConditions(additionsNow);
  let moreFields: (incident: StrangerIncident) => object = additions?.fieldsOf ?? (() => ({}));
  let sequence = 0;
  let isShuffled = false;
  let lists = 0;

  const nextId = (kind: string) => shape.id(kind, ++sequence);
  const signalsOf = (incidentId: string) => [...signals.values()].filter((signal) => signal.incidentId === incidentId);

  function incident(id: string): StrangerIncident {
    const found = incidents.get(id);
    if (found === undefined) {
      throw new Refusal(404, `no incident ${id}`);
    }
    return found;
  }

  function singleIncident(id: string): object {
    return { ...shape.singleIncident(incident(id), signalsOf(id)), ...moreFields(incident(id)) };
  }

  function addSignals(incidentId: string | null, added: readonly NewSignal[]): string[] {
    const root = incidentId === null ? 'unknown' : incident(incidentId).rootService;
    return added.map(({ type, service = root }) => {
      const id = nextId('signal');
      signals.set(id, { id, type, service, at: new Date(), incidentId });
      return id;
    });
  }

  function changeIncident(id: string, change: Partial<StrangerIncident>): Answer {
    const current = incident(id);
    if (current.status === 'open') {
      incidents.set(id, { ...current, ...change });
    } else if (shapeName === 'odd') {
      throw new Refusal(409, `incident ${id} is closed`);
    }
    return shape.done(id);
  }

  function openIncident({ service, signals: added = [{ type: 'trace' }], openedAt = new Date() }: NewIncident): string {
    const id = nextId('incident');
    incidents.set(id, { id, rootService: service, openedAt, ...FRESH });
    addSignals(id, added);
    return id;
  }

  const operations: Readonly<Record<string, (request: RecordedRequest, id: string) => Answer>> = {
    'GET /incidents': ({ query }) => {
      const { status, limit: asked, offset = '0' } = readQuery(query, ['status', 'limit', 'offset']);
      if (status !== undefined && status !== 'open' && status !== 'closed') {
        throw new Refusal(400, 'status must be open or closed');
      }
      const limit = Math.min(readInteger(asked ?? '20'), shape.maxLimit);
      const matching = [...incidents.values()]
        .filter((each) => !hidden.has(each.id) && (status === undefined || each.status === status))
        .sort((a, b) => (a.openedAt.getTime() - b.openedAt.getTime()) * (shape.newestFirst ? -1 : 1));
      if (isShuffled) {
        lists += 1;
        matching.push(...matching.splice(0, lists % Math.max(1, matching.length)));
      }
      const page = matching.slice(readInteger(offset), readInteger(offset) + limit);
      return jsonAnswer(200, {
        incidents: page.map((each) => ({ ...shape.incident(each, signalsOf(each.id)), ...moreFields(each) })),
        total: matching.length,
        limit,
      });
    },
    'GET /incidents/{id}': ({ query }, id) => {
      readQuery(query, []);
      return jsonAnswer(200, singleIncident(id));
    },
    'GET /incidents/{id}/signals': ({ query }, id) => {
      readQuery(query, []);
      return jsonAnswer(200, shape.signals(signalsOf(incident(id).id)));
    },
    'POST /incidents/{id}/acknowledge': ({ query, body }, id) => {
      readQuery(query, []);
      return changeIncident(id, { acknowledgedBy: readText(body, 'user') });
    },
    'POST /incidents/{id}/resolve': ({ query, body }, id) => {
      readQuery(query, []);
      return changeIncident(id, {
        status: 'closed',
        resolutionNote: readText(body, 'resolution_note', additions === null ? [] : ['user']),
      });
    },
    'GET /signals': ({ query }) => {
      const { service, type, from, to } = readQuery(query, ['service', 'type', 'from', 'to']);
      const matching = [...signals.values()].filter(
        (signal) =>
          (service === undefined || signal.service === service) &&
          (type === undefined || signal.type === type) &&
          (from === undefined || signal.at >= readTime(from)) &&
          (to === undefined || signal.at < readTime(to)),
      );
      return jsonAnswer(200, shape.signals(matching));
    },
    'GET /signals/{id}': ({ query }, id) => {
      readQuery(query, []);
      const signal = signals.get(id);
      if (signal === undefined) {
        throw new Refusal(404, `no signal ${id}`);
      }
      return jsonAnswer(200, shape.singleSignal(signal));
    },
    'GET /integrations': ({ query }) => {
      readQuery(query, []);
      return jsonAnswer(200, shape.integrations([...integrations.values()]));
    },
    'POST /integrations': ({ query, body }) => {
      readQuery(query, []);
      if (!isRecord(body) || typeof body.type !== 'string') {
        throw new Refusal(400, 'an integration needs a type');
      }
      const id = nextId('integration');
      integrations.set(id, { id, type: body.type, request: body });
      return shape.done(id);
    },
    'DELETE /integrations/{id}': ({ query }, id) => {
      readQuery(query, []);
      if (!integrations.delete(id)) {
        throw new Refusal(404, `no integration ${id}`);
      }
      return shape.done(id);
    },
  };

  function answer(request: RecordedRequest): Answer {
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      return shape.error(401, 'this API key is not known');
    }
    const [base, collection, id, ...rest] = request.path.split('/');
    const template = [base, collection, ...(id === undefined ? [] : ['{id}']), ...rest].join('/');
    if (hidden.has(id ?? '')) {
      return shape.error(404, `no incident ${id}`);
    }
    const itemId = decodeURIComponent(id ?? '');
    const carryOut = () => operate(request, `${request.method} ${template}`, itemId);
    const { target, value } = Object(request.body);
    const incidentId = target === 'incident' ? String(value) : itemId;
    return conditions === null ? carryOut() : conditions.once(request, incidentId, carryOut);
  }

  function operate(request: RecordedRequest, name: string, itemId: string): Answer {
    try {
      return (
        operations[name]?.(request, itemId) ??
        additions?.operations[name]?.(Object(request.body), itemId, String(request.headers['idempotency-key'])) ??
        shape.error(404, 'no such resource')
      );
    } catch (error) {
      if (error instanceof Refusal) {
        return shape.error(error.status, error.message);
      }
      throw error;
    }
  }

  return {
    answer,
    incident,
    incidentIds: () => [...incidents.keys()],
    declarations: additions?.declarations ?? [],
    changes: additions?.changes ?? [],
    mutes: additions?.mutes ?? [],
    notes: additions?.notes ?? [],
    writes: conditions?.writes ?? [],
    forgetConditions: () => conditions?.forget(),
    reopened: additions?.reopened ?? new Set<string>(),
    integrations: () => [...integrations.values()],
    openIncident,
    addSignals,
    moveRoot: (id: string, service: string) => void incidents.set(id, { ...incident(id), rootService: service }),
    signalCount: (incidentId: string) => signalsOf(incidentId).length,
    shufflePages(isOn: boolean) {
      isShuffled = isOn;
    },
    closeIncident(id: string) {
      incidents.set(id, { ...incident(id), status: 'closed' });
      conditions?.changed(id);
    },
    hideIncident(id: string, isHidden: boolean) {
      if (isHidden) {
        hidden.add(id);
      } else {
        hidden.delete(id);
      }
    },
    showMore(fieldsOf: typeof moreFields) {
      moreFields = fieldsOf;
    },
    reopenIncident(id: string) {
      incidents.set(id, { ...incident(id), ...FRESH });
      conditions?.changed(id);
    },
  };
}

/** @throws {Refusal} for a parameter that the document does not name */
function readQuery<Name extends string>(
  query: Readonly<Record<string, string>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const unknown = Object.keys(query).filter((name) => !names.some((known) => known === name));
  if (unknown.length > 0) {
    throw new Refusal(400, `unknown query parameter ${unknown.join(', ')}`);
  }
  return query as Partial<Record<Name, string>>;
}

/** Reads a field of a body. @throws {Refusal} when it is missing or there are others than `also` */
function readText(body: unknown, name: string, also: readonly string[] = []): string {
  const fields = isRecord(body) ? body : {};
  const unknown = Object.keys(fields).filter((key) => key !== name && !also.includes(key));
  const value = fields[name];
  if (unknown.length > 0) {
    throw new Refusal(400, `unknown field ${unknown.join(', ')}`);
  }
  if (typeof value !== 'string') {
    throw new Refusal(400, `${name} must be a string`);
  }
  return value;
}

function readInteger(value: string): number {
  if (!/^\d+$/.test(value)) {
    throw new Refusal(400, 'limit and offset must be integers');
  }
  return Number(value);
}

function readTime(value: string): Date {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) {
    throw new Refusal(400, 'from and to must be times');
  }
  return at;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
