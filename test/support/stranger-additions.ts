import { type Answer, jsonAnswer, type StrangerIncident } from './stranger-shapes.ts';

export interface AddedMute {
  readonly id: string;
  readonly target: string;
  /** Id of an incident or an integration, or name of a service. */
  readonly value: string;
  readonly from: Date;
  readonly until: Date;
  readonly by: string;
}

export interface AddedNote {
  readonly incidentId: string;
  readonly user: string;
  readonly text: string;
}

/**
 * Tocsin's additions for a stranger service of the plain shape: mutes, notes, and taking back what somebody
 * did.
 */
export function createStrangerAdditions(deps: {
  now: () => Date;
  incident: (id: string) => StrangerIncident;
  change: (id: string, change: Partial<StrangerIncident>) => void;
}) {
  const { now, incident, change } = deps;
  const mutes: AddedMute[] = [];
  const notes: AddedNote[] = [];
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
  function fieldsOf({ id, status, acknowledgedBy, resolutionNote }: StrangerIncident): object {
    const mute = muteOf(id);
    return {
      acknowledged_by: acknowledgedBy,
      acknowledged_at: timeOf(`acknowledged ${id}`, acknowledgedBy !== null),
      closed_at: timeOf(`closed ${id}`, status === 'closed'),
      resolution_note: resolutionNote,
      mute: mute && shown(mute),
      timeline: notes
        .filter(({ incidentId }) => incidentId === id)
        .map(({ user, text }) => ({ at: now().toISOString(), event: 'note', by: user, text })),
    };
  }

  const refuse = (status: number, message: string): Answer => ({ status, contentType: 'text/plain', body: message });

  const operations: Readonly<Record<string, (body: Readonly<Record<string, string>>, id: string) => Answer>> = {
    'POST /mutes': ({ target = '', value = '', until = '', user = '' }) => {
      if (target === 'incident' && incident(value).status === 'closed') {
        return refuse(409, `incident ${value} is closed`);
      }
      const mute = { id: `mute-${mutes.length + 1}`, target, value, from: now(), until: new Date(until), by: user };
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

  return { operations, fieldsOf, mutes, notes, reopened };
}
