import { type Answer, jsonAnswer, type StrangerIncident } from './stranger-shapes.ts';

export interface AddedMute {
  readonly id: string;
  readonly target: string;
  /** Id of an incident or an integration, or name of a service. */
  readonly value: string;
  readonly from: Date;
  readonly until: Date;
  /** `until` as it was asked for, also after it was ended early. */
  readonly askedUntil: Date;
  readonly by: string;
}

/** An incident that somebody opened by hand. */
export interface AddedDeclaration {
  readonly incidentId: string;
  /** The idempotency key: repeated with the same one, it opens nothing. */
  readonly key: string;
  readonly title: string;
  readonly severity: string;
  readonly by: string;
}

/** What somebody set by hand; null: back to what the service finds, or nobody. */
export interface AddedChange {
  readonly incidentId: string;
  readonly by: string;
  readonly at: Date;
  readonly set: Readonly<Record<string, string | null>>;
}

export interface AddedNote {
  readonly incidentId: string;
  readonly user: string;
  readonly text: string;
}

/**
 * Tocsin's additions for a stranger service of the plain shape: mutes, notes, incidents that people declare or change by
 * hand, and taking back what somebody did.
 */
export function createStrangerAdditions(deps: {
  now: () => Date;
  incident: (id: string) => StrangerIncident;
  change: (id: string, change: Partial<StrangerIncident>) => void;
  /** @returns the id of a new incident without signals */
  open: (service: string) => string;
  /** The incident as the service answers with it. */
  show: (id: string) => object;
  /** The services of its signals, its root first. */
  services: (id: string) => readonly string[];
}) {
  const { now, incident, change, open, show, services } = deps;
  const mutes: AddedMute[] = [];
  const notes: AddedNote[] = [];
  const declarations: AddedDeclaration[] = [];
  const changes: AddedChange[] = [];
  const reopened = new Set<string>();
  /** When an incident was first shown as acknowledged or closed. */
  const since = new Map<string, Date>();

  const muteOf = (incidentId: string) =>
    mutes.findLast(({ target, value, until }) => target === 'incident' && value === incidentId && until > now()) ??
    null;
  const shown = ({ id, target, value, until, by, from }: AddedMute) => ({
    id,
    target,
    value,
    until: until.toISOString(),
    created_by: by,
    created_at: from.toISOString(),
  });

  /** What the incident shows in place of what the service finds. */
  const byHand = (id: string): Readonly<Record<string, string | null>> =>
    Object.assign({}, ...changes.filter(({ incidentId }) => incidentId === id).map(({ set }) => set));

  function steeredFields(id: string, rootService: string): object {
    const declared = declarations.find(({ incidentId }) => incidentId === id);
    const found = { title: declared?.title, severity: declared?.severity, root_service: rootService };
    const { lead = null, communications = null, ...set } = byHand(id);
    const replaced = Object.entries(set).filter(([, value]) => value !== null);
    const detected = replaced.map(([field]) => [field, Reflect.get(found, field) ?? null]);
    return {
      ...found,
      ...Object.fromEntries(replaced),
      lead,
      communications,
      detected: Object.fromEntries(detected),
      declared_by: declared?.by ?? null,
    };
  }

  function timeOf(key: string, isTrue: boolean): string | null {
    if (!isTrue) {
      since.delete(key);
      return null;
    }
    const at = since.get(key) ?? now();
    since.set(key, at);
    return at.toISOString();
  }

  /** The additional fields of an incident. */
  function fieldsOf({ id, rootService, status, acknowledgedBy, resolutionNote }: StrangerIncident): object {
    const mute = muteOf(id);
    const changed = changes.filter(({ incidentId }) => incidentId === id);
    return {
      ...steeredFields(id, rootService),
      services: services(id),
      acknowledged_by: acknowledgedBy,
      acknowledged_at: timeOf(`acknowledged ${id}`, acknowledgedBy !== null),
      closed_at: timeOf(`closed ${id}`, status === 'closed'),
      resolution_note: resolutionNote,
      mute: mute && shown(mute),
      timeline: [
        ...changed.map(({ at, by }) => ({ at: at.toISOString(), event: 'changed', by })),
        ...notes
          .filter(({ incidentId }) => incidentId === id)
          .map(({ user, text }) => ({ at: now().toISOString(), event: 'note', by: user, text })),
      ],
    };
  }

  const refuse = (status: number, message: string): Answer => ({ status, contentType: 'text/plain', body: message });

  const operations: Readonly<
    Record<string, (body: Readonly<Record<string, string>>, id: string, idempotencyKey: string) => Answer>
  > = {
    'POST /incidents': ({ title = '', service = '', severity = '', user: by = '' }, _id, key) => {
      const before = declarations.find((each) => each.key === key);
      const incidentId = before?.incidentId ?? open(service);
      if (before === undefined) {
        declarations.push({ incidentId, key, title, severity, by });
      }
      return jsonAnswer(201, show(incidentId));
    },
    'PATCH /incidents/{id}': ({ user: by = '', user_id: _id, ...set }, id) => {
      // Later than what was asked for, although the clock stands still.
      const at = new Date(now().getTime() + changes.length + 1);
      changes.push({ incidentId: incident(id).id, by, at, set });
      return { status: 204 };
    },
    'POST /mutes': ({ target = '', value = '', until = '', user = '' }) => {
      if (target === 'incident' && incident(value).status === 'closed') {
        return refuse(409, `incident ${value} is closed`);
      }
      const end = new Date(until);
      const id = `mute-${mutes.length + 1}`;
      const mute = { id, target, value, from: now(), until: end, askedUntil: end, by: user };
      endMutes(mute);
      mutes.push(mute);
      return jsonAnswer(201, shown(mute));
    },
    'GET /mutes': () => jsonAnswer(200, { mutes: mutes.filter(({ until }) => until > now()).map(shown) }),
    'DELETE /mutes/{id}': (_body, id) => {
      const mute = mutes.find((each) => each.id === id && each.until > now());
      if (mute === undefined) {
        return refuse(404, `no mute ${id}`);
      }
      endMutes(mute);
      return { status: 204 };
    },
    'POST /incidents/{id}/notes': ({ user = '', text = '' }, id) => {
      notes.push({ incidentId: incident(id).id, user, text });
      return { status: 204 };
    },
    'POST /incidents/{id}/unacknowledge': (_body, id) => {
      if (incident(id).status === 'closed' || incident(id).acknowledgedBy === null) {
        return refuse(409, `incident ${id} is not acknowledged`);
      }
      change(id, { acknowledgedBy: null });
      return { status: 204 };
    },
    'POST /incidents/{id}/reopen': (_body, id) => {
      if (incident(id).status === 'open') {
        return refuse(409, `incident ${id} is open`);
      }
      reopened.add(id);
      change(id, { status: 'open', acknowledgedBy: null, resolutionNote: null });
      return { status: 204 };
    },
  };

  function endMutes({ target, value }: Pick<AddedMute, 'target' | 'value'>): void {
    for (const [index, mute] of mutes.entries()) {
      if (mute.target === target && mute.value === value && mute.until > now()) {
        mutes[index] = { ...mute, until: now() };
      }
    }
  }

  return { operations, fieldsOf, mutes, notes, reopened, declarations, changes };
}
