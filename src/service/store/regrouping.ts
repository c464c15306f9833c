import type { Kysely, Transaction } from 'kysely';
import type { Incident, IncidentRecord } from '../core/incident.ts';
import type { KnownIncident } from '../correlation/grouping/decisions.ts';
import { changeIncident, type IncidentChange } from './incident-store.ts';
import { lockWriters } from './signal-state.ts';
import type { ServiceTables } from './tables.ts';
import { appendToLog } from './telemetry-log.ts';

type Tx = Transaction<ServiceTables>;

/** What people decide about incidents that correlation has to obey. It reads it from its log, in the same order. */
export interface Regrouping {
  /** @throws {NotFoundError} or what `change` throws */
  reopen(reference: string, change: IncidentChange, now: Date): Promise<IncidentRecord>;
}

export function createRegrouping(db: Kysely<ServiceTables>): Regrouping {
  const locked = <T>(work: (tx: Tx) => Promise<T>) =>
    db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      return work(tx);
    });

  return {
    reopen: (reference, change, now) =>
      locked(async (tx) => {
        const { before, after } = await changeIncident(tx, reference, change);
        if (after !== before) {
          const decision = { kind: 'reopen', at: now.getTime(), incident: known(after) } as const;
          await appendToLog(tx, { kind: 'decision', decision });
        }
        return after;
      }),
  };
}

/** What correlation needs to follow an incident again that it has forgotten. */
function known({ number, rootService, openedAt, lastSeenAt, activity, activeSince }: Incident): KnownIncident {
  return {
    number,
    root: rootService,
    openedAt: openedAt.getTime(),
    lastAt: lastSeenAt.getTime(),
    activity,
    activeSince: activeSince.getTime(),
  };
}
