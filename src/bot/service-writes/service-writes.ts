import type { Logger } from 'pino';
import { ServiceClientError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident } from '../../contract/resources.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import type { Action, ActionRequest, Cancellation, Outcome } from '../domain/action.ts';
import {
  type Confirmation,
  confirmedIncident,
  effectAt,
  isDoneAlready,
  type KnownIncident,
} from '../domain/incident.ts';
import type { ConfirmedWrite } from '../domain/observation.ts';
import { isSameText } from '../domain/same-text.ts';
import { findStillFiring } from '../domain/still-firing.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { People } from '../slack/people.ts';
import type { Kept } from '../store/actions.ts';
import type { Store } from '../store/store.ts';
import { isFailing } from '../views/activity-words.ts';
import { outcomeAnswer } from '../views/outcome-answers.ts';
import { auditEntry, MAX_DETAIL } from './audit-entry.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import { createMutes, type NamedMute } from './mutes.ts';
import { createNotes } from './notes.ts';
import { isRefusal, isUnreadable, isWorthReadingBack, keptReason, refusedReason } from './service-failure.ts';
import { createSnooze } from './snooze.ts';
import { createUndo, isUndo, type NamedAction, type Tagged } from './undo.ts';

const RETRY = { firstMs: 1_000, longestMs: 60_000 };
const LOOK_EVERY_MS = 1_000;
/** Upper bound for replying to the waiting person; after it, a direct message is sent. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Sends actions of people to the service. An action is stored, sent, verified by reading back, and its outcome reported. */
export interface ServiceWrites extends Loop {
  /** Stores the request. Must complete before the request is acknowledged to Slack. */
  keep(request: ActionRequest): Promise<Kept>;
  /** Sends a new action. The caller reports the outcome and calls `markAnswered`; otherwise a direct message follows. */
  send(action: Action): Promise<Outcome>;
  markAnswered(actions: readonly Action[]): Promise<void>;
  /** Cancels a kept action, for the person who asked for it. */
  cancel(actionId: string, slackUserId: string): Promise<Cancellation>;
}

export function createServiceWrites(deps: {
  service: ServiceClient;
  store: Store;
  people: Pick<People, 'find' | 'cached' | 'refusal'>;
  /** Called when a message may need a redraw. */
  onChanged: () => void;
  logger: Logger;
  clock: Clock;
}): ServiceWrites {
  const { service, store, people, logger, clock } = deps;
  const { now } = clock;
  const inOrder = createKeyedQueue();
  const addNote = createNotes({ service, store, read, observe, onChanged: deps.onChanged, now });
  const undo = createUndo({ service, store, read: readTagged, readAgain, observe, now });
  const snooze = createSnooze({ service, read, readAgain, now });
  const mute = createMutes({ service, now });

  /** Reads and stores the current incident; null: the response is unreadable. */
  async function read(incidentId: string): Promise<Incident | null> {
    return (await readTagged(incidentId))?.incident ?? null;
  }

  async function readTagged(incidentId: string): Promise<Tagged | null> {
    try {
      const asOf = now();
      const { incident, etag } = await service.getTaggedIncident(incidentId);
      return { incident: { ...incident, ...(await observe(incident, asOf))?.incident }, etag };
    } catch (error) {
      if (isUnreadable(error)) {
        const known = await store.incidents.find(incidentId);
        return known && { incident: known.incident, etag: null };
      }
      throw error;
    }
  }

  async function observe(incident: Incident, asOf: Date): Promise<KnownIncident | null> {
    const { known, hasChanged } = await store.incidents.observe(incident, { urgency: URGENCY.person, asOf });
    if (hasChanged) {
      deps.onChanged();
    }
    return known;
  }

  async function attempt(action: NamedAction | NamedMute): Promise<Outcome> {
    if (action.incidentId === null) {
      return mute(action);
    }
    if (action.kind === 'note') {
      return addNote(action);
    }
    if (isUndo(action)) {
      return undo(action);
    }
    if (action.kind === 'snooze' || action.kind === 'unsnooze') {
      return snooze(action);
    }
    const readAt = now();
    const before = await read(action.incidentId);
    if (before !== null && isDoneAlready(before, action.kind)) {
      // Only an earlier attempt can have written it, and only one of several clicks counts.
      const isOurs = action.attempts > 0 && isSameText(shownBy(before, action) ?? '', sentBy(action));
      const isDone = isOurs && !(await store.actions.isSuperseded(action));
      return { kind: isDone ? 'done' : 'already', action, incident: before };
    }
    const stillFiring = before === null ? null : findStillFiring(before, now());
    if (action.asksFirst === true && before !== null && (stillFiring !== null || isFailing(before))) {
      return { kind: 'asked', action, incident: before, stillFiring };
    }
    const sending: Sending = { action, before, readAt, sentAt: now() };
    let answer: Incident | null;
    try {
      answer = await write(action);
    } catch (error) {
      return readBack(sending, error);
    }
    return confirmed(sending, answer);
  }

  /** Checks whether a failed write happened after all. @throws `error` if the service does not show it */
  async function readBack(sending: Sending, error: unknown): Promise<Outcome> {
    const { action } = sending;
    const after = isWorthReadingBack(error) ? await readAgain(action.incidentId) : null;
    if (after === null || !isDoneAlready(after, action.kind)) {
      throw error;
    }
    return isRefusal(error) || isTooLate(after, action) || showsAnother(after, action)
      ? { kind: 'already', action, incident: after }
      : confirmed(sending, after);
  }

  function write({ kind, incidentId, userName: user, note }: NamedAction): Promise<Incident | null> {
    return kind === 'acknowledge'
      ? service.acknowledgeIncident(incidentId, { user })
      : service.resolveIncident(incidentId, { resolutionNote: note ?? '', user });
  }

  /** Stores a successful write, for services that do not show it, and reads the new state unless `answer` shows it. */
  async function confirmed({ action, before, ...times }: Sending, answer: Incident | null): Promise<Outcome> {
    const confirmation = confirmationOf(action, now());
    const shown = answer ?? before ?? unreadIncident(action.incidentId, now());
    const { known, hasChanged, isFirst } = await store.incidents.confirm(shown.id, { confirmation, answer, ...times });
    if (hasChanged) {
      deps.onChanged();
    }
    const isShown = answer !== null && known !== null && isDoneAlready(answer, action.kind);
    let incident = isShown ? known.incident : await readAgain(shown.id);
    if (incident === null) {
      const written: Incident = action.kind === 'resolve' ? { ...shown, status: 'closed' } : shown;
      await observe(written, now());
      incident = confirmedIncident(written, [confirmation]);
    }
    // The service may show our write with a different spelling of the user or note.
    const isSomebodyElses = !isFirst && showsAnother(incident, action);
    return { kind: isSomebodyElses || isTooLate(incident, action) ? 'already' : 'done', action, incident };
  }

  async function readAgain(incidentId: string): Promise<Incident | null> {
    return read(incidentId).catch((err: unknown) => {
      logger.warn({ err, incidentId }, 'the state could not be read back');
      return null;
    });
  }

  /** @param answerMs how long the caller has to report the outcome */
  async function send(action: Action, answerMs: number): Promise<Outcome> {
    return inOrder(action.incidentId ?? 'mutes', async () => {
      const person = await people.find(action.slackUserId);
      const userName = action.userName ?? person.name;
      const named = { ...action, userName };
      const why = await people.refusal(action.slackUserId);
      if (why !== null) {
        const reason = { kind: 'not-allowed', why } as const;
        return settle(named, { kind: 'refused', action: named, reason }, why.kind, answerMs);
      }
      if (action.userName === null) {
        await store.actions.nameUser(action.id, userName);
      }
      return sendNamed(named, answerMs);
    });
  }

  async function sendNamed(action: NamedAction | NamedMute, answerMs: number): Promise<Outcome> {
    try {
      const outcome = await attempt(action);
      return await (outcome.kind === 'kept'
        ? postpone(outcome, `kept: ${outcome.reason}`)
        : settle(action, outcome, null, answerMs));
    } catch (error) {
      if (!(error instanceof ServiceClientError)) {
        throw error; // the lease expires and the action is retried
      }
      const reason = refusedReason(error);
      if (reason !== null) {
        return settle(action, { kind: 'refused', action, reason }, error.message, answerMs);
      }
      const { id: actionId, incidentId } = action;
      logger.warn({ err: error, incidentId, actionId }, 'an action could not be sent and will be retried');
      return postpone({ kind: 'kept', action, reason: keptReason(error) }, error.message);
    }
  }

  async function settle(
    action: NamedAction | NamedMute,
    outcome: Outcome,
    detail: string | null,
    answerMs: number,
  ): Promise<Outcome> {
    const entry = auditEntry(action, outcome.kind, detail);
    const isDone = outcome.kind === 'done' && outcome.incident !== null;
    const shownAt = isDone ? effectAt(outcome.incident, outcome.action.kind) : null;
    await store.actions.settle(action.id, entry, outcomeAnswer(outcome), answerMs, shownAt);
    deps.onChanged();
    return outcome;
  }

  async function postpone(outcome: KeptOutcome, detail: string): Promise<Outcome> {
    const { action } = outcome;
    if (action.attempts === 0) {
      await store.auditLog.record(auditEntry(action, 'kept', detail));
    }
    const retryMs = backoffMs(RETRY, action.attempts + 1);
    await store.actions.postpone(action.id, { error: detail.slice(0, MAX_DETAIL), retryMs });
    deps.onChanged();
    return outcome;
  }

  async function step(stopping: AbortSignal): Promise<number> {
    while (!stopping.aborted) {
      const action = await store.actions.claim();
      if (action === null) {
        break;
      }
      await send(action, 0);
      deps.onChanged();
    }
    return LOOK_EVERY_MS;
  }

  const loop = createLoop({ name: 'service writes', step, retry: RETRY, logger, clock });
  return {
    ...loop,
    keep: (request) => store.actions.keep(request, people.cached(request.slackUserId)?.name ?? null),
    send: (action) => send(action, ANSWER_TIMEOUT_MS),
    markAnswered: (actions) => store.actions.markAnswered(actions.map(({ id }) => id)),
    async cancel(actionId, slackUserId) {
      const cancellation = await store.actions.cancel(actionId, slackUserId);
      deps.onChanged();
      return cancellation;
    },
  };
}

type KeptOutcome = Extract<Outcome, { kind: 'kept' }>;

/** A write, and the incident as read before it; `before` is null if it could not be read. */
interface Sending extends Pick<ConfirmedWrite, 'readAt' | 'sentAt'> {
  readonly action: NamedAction;
  readonly before: Incident | null;
}

/** The visible result of such an action: who acknowledged the incident, or the note it was closed with. */
function shownBy(incident: Incident, action: NamedAction): string | null {
  return (action.kind === 'acknowledge' ? incident.acknowledged_by : incident.resolution_note) ?? null;
}

/** The result that this action would show. */
function sentBy(action: NamedAction): string {
  return action.note ?? action.userName;
}

function showsAnother(incident: Incident, action: NamedAction): boolean {
  const shown = shownBy(incident, action);
  return shown !== null && !isSameText(shown, sentBy(action));
}

function isTooLate(incident: Incident, action: NamedAction): boolean {
  return action.kind === 'acknowledge' && incident.status === 'closed';
}

function confirmationOf({ kind, userName: user, note }: NamedAction, at: Date): Confirmation {
  return kind === 'acknowledge'
    ? { kind, user, at: at.toISOString() }
    : { kind: 'resolve', user, at: at.toISOString(), note: note ?? '' };
}

/** A placeholder for a service that accepts writes but does not let the bot read the incident. */
function unreadIncident(id: string, at: Date): Incident {
  return { id, status: 'open', signal_count: 0, root_service: 'unknown', opened_at: at.toISOString() };
}
