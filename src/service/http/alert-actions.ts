import { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { REQUEST_LIMITS } from '../../contract/requests.ts';
import { differenceInMilliseconds } from '../../runtime/dates.ts';
import type { ApiKey } from '../core/api-key.ts';
import { BackPressureError, DomainError, NotFoundError } from '../core/errors.ts';
import type { IncidentRecord } from '../core/incident.ts';
import { acknowledge, addNote, unacknowledge } from '../core/incident-changes.ts';
import { ownFingerprint } from '../core/own-alerts.ts';
import { clip } from '../core/text.ts';
import type { IncidentChange } from '../store/incidents/change-incident.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import { waitForIncident } from '../store/signals/wait-for-incident.ts';
import { actorOf } from './actor-of.ts';

/** What a person did with an alert in the sender's product. */
export interface AlertAction {
  readonly kind: 'acknowledge' | 'unacknowledge' | 'note';
  /** Integration or key that sent the alert, and the alert's fingerprint at that sender. */
  readonly sender: string;
  readonly fingerprint: string;
  /** As the sender names the person; the sender's own name if it names nobody. */
  readonly actor: Actor;
  readonly note: string | null;
}

interface AlertActionDeps {
  readonly incidents: Pick<IncidentStore, 'update'>;
  readonly signals: Pick<SignalStore, 'findNewest'>;
  readonly now: () => Date;
}

/** Requests of one sender that wait at the same time. Each looks into the database again and again. */
const MAX_WAITING = 20;
/** Shorter than the request timeout of senders. */
const WAIT_MS = 3_000;
/** An alert without an incident after this time will not get one. */
const OPENS_WITHIN_MS = 60_000;

/** Timeline entries for incidents that stay unchanged. */
const DONE_ELSEWHERE = {
  acknowledge: 'Acknowledged one of the alerts where it came from. The incident has signals of other senders too.',
  unacknowledge:
    'Took back the acknowledgement of one of the alerts where it came from. The incident has signals of other senders too.',
} as const;

/**
 * Applies an action to its alert's incident. If the incident has signals of other senders, it stays unchanged and its
 * timeline records the action: a key for sending signals must not decide who has other senders' incidents, or stop
 * their reminders.
 *
 * @returns why nothing was changed; null: it was
 * @throws {BackPressureError} if the alert's incident is only about to open: the sender repeats the request
 */
export type ApplyAlertAction = (action: AlertAction) => Promise<string | null>;

export function createAlertActions({ incidents, signals, now }: AlertActionDeps): ApplyAlertAction {
  const waitingOf = new Map<string, number>();

  /** People may acknowledge an alert just before its incident opens. */
  async function incidentOf(sender: string, fingerprint: string): Promise<string | null> {
    const isLost = (receivedAt: Date) => differenceInMilliseconds(now(), receivedAt) > OPENS_WITHIN_MS;
    const found = await waitForIncident(signals, fingerprint, 0, isLost);
    if (found !== undefined) {
      return found;
    }
    const waiting = waitingOf.get(sender) ?? 0;
    if (waiting >= MAX_WAITING) {
      throw new BackPressureError('too many requests wait for the incidents of their alerts; try again');
    }
    waitingOf.set(sender, waiting + 1);
    try {
      const opened = await waitForIncident(signals, fingerprint, WAIT_MS, isLost);
      if (opened !== undefined) {
        return opened;
      }
    } finally {
      const left = (waitingOf.get(sender) ?? 1) - 1;
      if (left === 0) {
        waitingOf.delete(sender);
      } else {
        waitingOf.set(sender, left);
      }
    }
    throw new BackPressureError('the incident of this alert is not open yet; try again');
  }

  return async (action) => {
    const incidentId = await incidentOf(action.sender, ownFingerprint(action.sender, action.fingerprint));
    if (incidentId === null) {
      return 'this alert has no incident';
    }
    try {
      await incidents.update(incidentId, changeOf(action, now()));
      return null;
    } catch (error) {
      if (error instanceof DomainError) {
        return error instanceof NotFoundError ? 'this alert has no incident' : error.message;
      }
      throw error;
    }
  };
}

function changeOf({ kind, sender, actor, note }: AlertAction, now: Date): IncidentChange {
  const addOnce = (before: IncidentRecord, text: string) => {
    const last = before.timeline.findLast(({ event }) => event === 'note');
    const isThere = last?.by === actor.by && last.text === text; // the sender repeats a request whose answer was lost
    return isThere ? before : addNote(before, actor, text, now);
  };
  const change = (before: IncidentRecord) => {
    if (kind === 'note') {
      return before;
    }
    if (before.soleIntegration !== sender) {
      return addOnce(before, DONE_ELSEWHERE[kind]);
    }
    return kind === 'acknowledge' ? acknowledge(before, actor, now) : unacknowledge(before, actor, null, now);
  };
  return (before) => (note === null ? change(before) : addOnce(change(before), note));
}

/** Text of a sender. Too long text is truncated instead of refused; empty text counts as absent. */
const shown = (limit: number) =>
  z
    .string()
    .nullish()
    .transform((text) => clip(text?.trim() ?? '', limit) || null);

/** The fields of Opsgenie's actions that are used. All are optional, and so is the body. */
export const ActionBody = z.object({ user: shown(REQUEST_LIMITS.user), note: shown(REQUEST_LIMITS.note) });
export type ActionBody = z.infer<typeof ActionBody>;

/** Who acts at a sender. @param user null: it names nobody, so it is the sender itself */
export function actorAt(key: Pick<ApiKey, 'name'>, user: string | null = null): Actor {
  return actorOf({ user: user ?? clip(key.name, REQUEST_LIMITS.user) }, key.name);
}
