import type { ActionDeps } from '../../src/bot/features.ts';
import type { Once } from '../../src/client/additions.ts';
import { ServiceResponseError } from '../../src/client/errors.ts';
import type { Mute } from '../../src/contract/mute.ts';
import type { Incident, TimelineEntry } from '../../src/contract/resources.ts';

type Step = <Result>(run: () => Result) => Promise<Result>;
/** @param mayBeLate whether it changes something even if it arrives after the bot has given it up */
type Write = <Result>(run: () => Result, mayBeLate: boolean) => Promise<Result>;

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
  /** Idempotency keys of requests that were carried out. */
  const keys = new Set<string>();

  function record(fields: Partial<Incident>, event: TimelineEntry['event'], by: string, text?: string): Incident {
    const moment = { at: now().toISOString(), event, by, ...(text === undefined ? {} : { text }) };
    incident = { ...incident, ...fields, timeline: [...(incident.timeline ?? []), moment] };
    changes += 1;
    return incident;
  }

  /** What people do is in the timeline, so its length is the entity tag. */
  const tag = () => `"${incident.timeline?.length}"`;

  /** Carries out a request once. @returns null: it was carried out before */
  function once({ ifMatch = null, idempotencyKey = '' }: Once, run: () => Incident): Incident | null {
    if (keys.has(idempotencyKey)) {
      return null;
    }
    if (ifMatch !== null && ifMatch !== tag()) {
      throw refusal(412);
    }
    const changed = run();
    keys.add(idempotencyKey);
    return changed;
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
    read: () => ({ incident, etag: tag() }),
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
    },
    /** Takes back whatever the incident shows, as the dashboard does. */
    undoElsewhere() {
      if (incident.merged_into != null) {
        record({ status: 'open', closed_at: null, merged_into: null }, 'split', 'cleo');
      } else if (incident.status === 'closed') {
        record({ status: 'open', closed_at: null, resolution_note: null }, 'reopened', 'cleo');
      } else if (incident.acknowledged_by !== null) {
        record({ acknowledged_by: null, acknowledged_at: null }, 'unacknowledged', 'cleo');
      } else if (incident.lead != null) {
        record({ lead: null }, 'changed', 'cleo');
      } else if (incident.mute) {
        record({ mute: null }, 'unmuted', 'cleo');
      }
    },
    lead: () => incident.lead ?? null,
    client: (write: Write, call: Step): ActionDeps['service'] => {
      const change = (request: Once, run: () => Incident) => write(() => once(request, run), true);
      return {
        acknowledgeIncident: (_id, { user, ...request }) =>
          change(request, () => {
            demandOpen();
            return incident.acknowledged_by === null
              ? record({ acknowledged_by: user, acknowledged_at: now().toISOString() }, 'acknowledged', user)
              : incident;
          }),
        resolveIncident: (_id, { user, resolutionNote, ...request }) =>
          change(request, () => {
            demandOpen();
            const fields = { resolution_note: resolutionNote, closed_at: now().toISOString() };
            return record({ status: 'closed', ...fields }, 'closed', user);
          }),
        unacknowledgeIncident: (_id, { user, ...request }) =>
          change(request, () => {
            demandOpen();
            return incident.acknowledged_by === null
              ? incident
              : record({ acknowledged_by: null, acknowledged_at: null }, 'unacknowledged', user);
          }),
        reopenIncident: (_id, { user, ...request }) =>
          change(request, () =>
            incident.status === 'open'
              ? incident
              : record({ status: 'open', closed_at: null, resolution_note: null }, 'reopened', user),
          ),
        addNote: (_id, { user, text, ...request }) => change(request, () => record({}, 'note', user, text)),
        updateIncident: (_id, { user = 'somebody', lead = null, ...request }) =>
          change(request, () => record({ lead }, 'changed', user)),
        mergeIncident: (_id, { user, into, ...request }) =>
          change(request, () => {
            demandOpen();
            return record({ status: 'closed', closed_at: now().toISOString(), merged_into: into }, 'merged', user);
          }),
        splitIncident: (_id, { user, ...request }) =>
          change(request, () => {
            if (incident.merged_into == null) {
              throw refusal(409);
            }
            return record({ status: 'open', closed_at: null, merged_into: null }, 'split', user);
          }),
        // What follows has a deadline instead of a condition, so it is too late when the bot has given it up.
        declareIncident: (_request, key) =>
          write(() => {
            if (!declared.has(key)) {
              declared.add(key);
              changes += 1;
            }
            return { ...incident, id: `declared ${key}` };
          }, false),
        listMutes: () => call(() => [...mutes]),
        createMute: ({ target, value, until, user }) =>
          write(() => {
            const mute = muteOf(value, target, until, user);
            if (target === 'incident') {
              changes -= 1; // counted once
              record({ mute }, 'muted', user);
            } else {
              mutes = [mute];
            }
            return mute;
          }, false),
        deleteMute: (id, { user }) =>
          write(() => {
            if (incident.mute?.id === id) {
              record({ mute: null }, 'unmuted', user);
            } else if (mutes.some((mute) => mute.id === id)) {
              mutes = [];
              changes += 1;
            } else {
              throw refusal(404);
            }
          }, false),
      };
    },
  };
}

function refusal(status: number): ServiceResponseError {
  const ending = { call: 'POST /', effect: 'refused', retryable: false } as const;
  return new ServiceResponseError(status, { status }, null, ending);
}
