import type { KindsDeps } from '../../src/bot/action-kinds.ts';
import { ServiceResponseError } from '../../src/client/errors.ts';
import type { Mute } from '../../src/contract/mute.ts';
import type { Incident, TimelineEntry } from '../../src/contract/resources.ts';

type Step = <Result>(run: () => Result) => Promise<Result>;

/** One incident and the mutes of one service, as Tocsin's own service changes them. */
export function createModelService(now: () => Date) {
  let incident: Incident = {
    id: 'inc_1',
    status: 'open',
    signal_count: 1,
    root_service: 'payments',
    opened_at: now().toISOString(),
    acknowledged_at: null,
    acknowledged_by: null,
    mute: null,
    timeline: [],
  };
  let mutes: readonly Mute[] = [];
  const declared = new Set<string>();
  let changes = 0;
  let version = 1;

  function change(fields: Partial<Incident>, event: TimelineEntry['event'], by: string, text?: string): Incident {
    const moment = { at: now().toISOString(), event, by, ...(text === undefined ? {} : { text }) };
    incident = { ...incident, ...fields, timeline: [...(incident.timeline ?? []), moment] };
    changes += 1;
    version += 1;
    return incident;
  }

  function demand(ifMatch: string | null | undefined): void {
    if (ifMatch !== null && ifMatch !== undefined && ifMatch !== `"${version}"`) {
      throw refusal(412);
    }
  }

  function demandOpen(): void {
    if (incident.status === 'closed') {
      throw refusal(409);
    }
  }

  function muteOf(value: string, target: Mute['target'], until: Date, user: string): Mute {
    const at = now().toISOString();
    changes += 1;
    return { id: `mute_${changes}`, target, value, until: until.toISOString(), created_by: user, created_at: at };
  }

  return {
    read: () => ({ incident, etag: `"${version}"` }),
    mutes: () => mutes,
    changes: () => changes,
    /** What people would see of it. */
    shown: () => {
      const { status, acknowledged_by: by, resolution_note: note, mute, lead, timeline = [] } = incident;
      const notes = timeline.filter(({ event }) => event === 'note').length;
      const shown = { status, by, note, isSnoozed: mute !== null, notes, mutes: mutes.length };
      return JSON.stringify({ ...shown, lead: lead ?? null, declared: declared.size });
    },
    addSignal() {
      incident = { ...incident, signal_count: incident.signal_count + 1 };
      version += 1;
    },
    /** Takes back whatever the incident shows, as the dashboard does. */
    undoElsewhere() {
      if (incident.status === 'closed') {
        change({ status: 'open', closed_at: null, resolution_note: null }, 'reopened', 'cleo');
      } else if (incident.acknowledged_by !== null) {
        change({ acknowledged_by: null, acknowledged_at: null }, 'unacknowledged', 'cleo');
      } else if (incident.lead != null) {
        change({ lead: null }, 'changed', 'cleo');
      } else if (incident.mute) {
        change({ mute: null }, 'unmuted', 'cleo');
      }
    },
    lead: () => incident.lead ?? null,
    client: (write: Step, call: Step): KindsDeps['service'] => ({
      acknowledgeIncident: (_id, { user, ifMatch }) =>
        write(() => {
          demand(ifMatch);
          demandOpen();
          return incident.acknowledged_by === null
            ? change({ acknowledged_by: user, acknowledged_at: now().toISOString() }, 'acknowledged', user)
            : incident;
        }),
      resolveIncident: (_id, { user, resolutionNote, ifMatch }) =>
        write(() => {
          demand(ifMatch);
          if (incident.status === 'closed') {
            throw refusal(409);
          }
          const fields = { resolution_note: resolutionNote, closed_at: now().toISOString() };
          return change({ status: 'closed', ...fields }, 'closed', user);
        }),
      unacknowledgeIncident: (_id, { user, ifMatch }) =>
        write(() => {
          demand(ifMatch);
          demandOpen();
          return incident.acknowledged_by === null
            ? incident
            : change({ acknowledged_by: null, acknowledged_at: null }, 'unacknowledged', user);
        }),
      reopenIncident: (_id, { user, ifMatch }) =>
        write(() => {
          demand(ifMatch);
          return incident.status === 'open'
            ? incident
            : change({ status: 'open', closed_at: null, resolution_note: null }, 'reopened', user);
        }),
      addNote: (_id, { user, text }) => write(() => change({}, 'note', user, text)),
      updateIncident: (_id, { user = 'somebody', lead = null, ifMatch }) =>
        write(() => {
          demand(ifMatch);
          return change({ lead }, 'changed', user);
        }),
      declareIncident: (_request, key) =>
        write(() => {
          if (!declared.has(key)) {
            declared.add(key);
            changes += 1;
          }
          return { ...incident, id: `declared ${key}` };
        }),
      listMutes: () => call(() => [...mutes]),
      createMute: ({ target, value, until, user }) =>
        write(() => {
          const mute = muteOf(value, target, until, user);
          if (target === 'incident') {
            changes -= 1; // counted once
            change({ mute }, 'muted', user);
          } else {
            mutes = [mute];
          }
          return mute;
        }),
      deleteMute: (id, { user }) =>
        write(() => {
          if (incident.mute?.id === id) {
            change({ mute: null }, 'unmuted', user);
          } else if (mutes.some((mute) => mute.id === id)) {
            mutes = [];
            changes += 1;
          } else {
            throw refusal(404);
          }
        }),
    }),
  };
}

function refusal(status: number): ServiceResponseError {
  const ending = { call: 'POST /', effect: 'refused', retryable: false } as const;
  return new ServiceResponseError(status, { status }, null, ending);
}
