import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { ServiceClientError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident } from '../../contract/resources.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { type Confirmation, confirmedIncident } from '../domain/confirmed-incident.ts';
import type { Cancellation, Outcome } from '../domain/outcome.ts';
import { isSameText } from '../domain/same-text.ts';
import type { People } from '../slack/people.ts';
import type { Keeping, PendingAction } from '../store/actions.ts';
import type { AuditEntry } from '../store/audit-log.ts';
import type { KnownIncident } from '../store/incident-rows.ts';
import { LANES } from '../store/lanes.ts';
import type { Store } from '../store/store.ts';
import { outcomeAnswer } from '../views/answers.ts';
import { isSettledAlready } from '../views/incident-words.ts';
import { isRefusal, isUnreadable, isWorthReadingBack, keptReason, refusedReason } from './service-failure.ts';

const LONGEST_PAUSE_MS = 60_000;
const MAX_DETAIL = 500;
/** Longer than telling somebody takes who waits for it. */
const TELLING_MS = 60_000;

export type Request = {
  readonly incidentId: string;
  readonly slackUserId: string;
  readonly channelId: string | null;
} & (
  | { readonly kind: 'acknowledge' }
  /** `source`: the id of the modal, so that one submission is one action however often it arrives. */
  | { readonly kind: 'resolve'; readonly note: string; readonly source: string | null }
);

/** Carries what people ask for to the service: kept first, then sent, then read back, and told as it is. */
export interface Delivery {
  /** Keeps the action in the database. */
  keep(request: Request): Keeping;
  /** Whoever asked for it is to be told how it ended; without `told`, `LateAnswers` does that after a minute. */
  deliver(action: PendingAction): Promise<Outcome>;
  told(action: PendingAction): Promise<void>;
  /** Takes back what waits, for the one who asked for it. */
  cancel(actionId: string, slackUserId: string): Promise<Cancellation>;
  /** Delivers one action that waits, whose person is then told by `LateAnswers`; null when none is due. */
  deliverDue(): Promise<Outcome | null>;
}

export function createDelivery(deps: {
  service: ServiceClient;
  store: Store;
  people: Pick<People, 'nameOf' | 'knownName'>;
  /** Some card has something to show. */
  onChange: () => void;
  logger: Logger;
  now: () => Date;
}): Delivery {
  const { service, store, logger, now } = deps;
  const inOrder = createKeyedQueue();

  /** The incident as the service has it now, written down; null when its answer cannot be read. */
  async function read(incidentId: string): Promise<Incident | null> {
    try {
      const asOf = now();
      const incident = await service.getIncident(incidentId);
      return (await observe(incident, asOf))?.incident ?? incident;
    } catch (error) {
      if (isUnreadable(error)) {
        return (await store.incidents.find(incidentId))?.incident ?? null;
      }
      throw error;
    }
  }

  async function observe(incident: Incident, asOf: Date): Promise<KnownIncident | null> {
    const { known, hasChanged } = await store.incidents.observe(incident, { lane: LANES.person, asOf });
    if (hasChanged) {
      deps.onChange();
    }
    return known;
  }

  async function attempt(action: NamedAction): Promise<Outcome> {
    const readAt = now();
    const before = await read(action.incidentId);
    if (before !== null && isSettledAlready(before, action)) {
      // Only a try before this one can have written what is ours, and of several clicks one.
      const isOurs = action.attempts > 0 && isSameText(trace(before, action) ?? '', sent(action));
      const isDone = isOurs && !(await store.pendingActions.isDone(action));
      return { kind: isDone ? 'done' : 'already', action, incident: before };
    }
    const sending: Sending = { action, before, readAt };
    let answer: Incident | null;
    try {
      answer = await write(action);
    } catch (error) {
      return readBack(sending, error);
    }
    return confirmed(sending, answer);
  }

  /** After a write without a yes: what the service shows of it. @throws `error` when it shows nothing */
  async function readBack(sending: Sending, error: unknown): Promise<Outcome> {
    const { action } = sending;
    const after = isWorthReadingBack(error) ? await readAgain(action.incidentId) : null;
    if (after === null || !isSettledAlready(after, action)) {
      throw error;
    }
    return isRefusal(error) || isTooLate(after, action) || showsAnother(after, action)
      ? { kind: 'already', action, incident: after }
      : confirmed(sending, after);
  }

  function write(action: NamedAction): Promise<Incident | null> {
    const user = action.userName;
    return action.kind === 'acknowledge'
      ? service.acknowledgeIncident(action.incidentId, { user })
      : service.resolveIncident(action.incidentId, { resolutionNote: action.note ?? '', user });
  }

  /** After the service's yes: remembered for services that do not show it, then the state as it now stands. */
  async function confirmed({ action, before, readAt }: Sending, answer: Incident | null): Promise<Outcome> {
    const confirmation = confirmationOf(action, now());
    const told = answer ?? before ?? unreadIncident(action.incidentId, now());
    const isFirst = await store.incidents.confirm(told.id, confirmation, readAt);
    if (isFirst) {
      deps.onChange();
    }
    let incident = await readAgain(told.id);
    if (incident === null) {
      const written: Incident = action.kind === 'resolve' ? { ...told, status: 'closed' } : told;
      await observe(written, now());
      incident = confirmedIncident(written, [confirmation]);
    }
    // The first of ours is shown otherwise where the service spells people and notes its own way.
    const isAnothers = !isFirst && showsAnother(incident, action);
    return { kind: isAnothers || isTooLate(incident, action) ? 'already' : 'done', action, incident };
  }

  async function readAgain(incidentId: string): Promise<Incident | null> {
    return read(incidentId).catch((err: unknown) => {
      logger.warn({ err, incidentId }, 'the state could not be read back');
      return null;
    });
  }

  /** @param tellingMs how long somebody has to tell the person before others do */
  async function deliver(action: PendingAction, tellingMs: number): Promise<Outcome> {
    return inOrder(action.incidentId, async () => {
      const userName = action.userName ?? (await deps.people.nameOf(action.slackUserId));
      if (action.userName === null) {
        await store.pendingActions.nameUser(action.id, userName);
      }
      return settle({ ...action, userName }, tellingMs);
    });
  }

  async function settle(action: NamedAction, tellingMs: number): Promise<Outcome> {
    const end = async (outcome: Outcome, detail: string | null) => {
      const entry = auditEntry(action, outcome.kind, detail);
      const tellAt = new Date(now().getTime() + tellingMs);
      await store.pendingActions.settle(action.id, entry, { answer: outcomeAnswer(outcome), tellAt });
      if (action.attempts > 0) {
        await showOnCard(action); // which said that it waits
      }
      return outcome;
    };
    try {
      return await end(await attempt(action), null);
    } catch (error) {
      if (!(error instanceof ServiceClientError)) {
        throw error; // the lease runs out and the action is tried again
      }
      const reason = refusedReason(error);
      if (reason !== null) {
        return end({ kind: 'refused', action, reason }, error.message);
      }
      logger.warn(
        { err: error, incidentId: action.incidentId, actionId: action.id },
        'an action is kept and tried again',
      );
      if (action.attempts === 0) {
        await store.auditLog.record(auditEntry(action, 'kept', error.message));
      }
      const pauseMs = backoffMs({ firstMs: 1_000, longestMs: LONGEST_PAUSE_MS }, action.attempts + 1);
      const retryAt = new Date(now().getTime() + pauseMs);
      await store.pendingActions.postpone(action.id, { error: error.message.slice(0, MAX_DETAIL), retryAt });
      await showOnCard(action);
      return { kind: 'kept', action, reason: keptReason(error) };
    }
  }

  function auditEntry(action: NamedAction, outcome: AuditEntry['outcome'], detail: string | null): AuditEntry {
    return {
      at: now(),
      action: action.kind,
      incidentId: action.incidentId,
      slackUserId: action.slackUserId,
      userName: action.userName,
      channelId: action.channelId,
      outcome,
      detail: detail?.slice(0, MAX_DETAIL) ?? null,
    };
  }

  /** The card tells what waits, so it changes when something begins or ceases to wait. */
  async function showOnCard(action: PendingAction): Promise<void> {
    await store.incidents.touch(action.incidentId);
    deps.onChange();
  }

  return {
    keep: (request) =>
      store.pendingActions.keep(
        {
          id: randomUUID(),
          source: request.kind === 'resolve' ? request.source : null,
          kind: request.kind,
          incidentId: request.incidentId,
          slackUserId: request.slackUserId,
          userName: deps.people.knownName(request.slackUserId),
          channelId: request.channelId,
          note: request.kind === 'resolve' ? request.note : null,
        },
        now(),
      ),
    deliver: (action) => deliver(action, TELLING_MS),
    told: (action) => store.pendingActions.told([action.id]),
    async cancel(actionId, slackUserId) {
      const cancellation = await store.pendingActions.cancel(actionId, slackUserId, now());
      if (cancellation.kind === 'cancelled') {
        await showOnCard(cancellation.action);
      }
      return cancellation;
    },
    async deliverDue() {
      const action = await store.pendingActions.claim(now());
      return action === null ? null : deliver(action, 0);
    },
  };
}

type NamedAction = PendingAction & { readonly userName: string };

/** A write, and the incident as it was read before, at that time; null: it could not be read. */
interface Sending {
  readonly action: NamedAction;
  readonly before: Incident | null;
  readonly readAt: Date;
}

/** What the incident shows of such an action: who acknowledged it, or the note it was closed with. */
function trace(incident: Incident, action: PendingAction): string | null {
  return (action.kind === 'acknowledge' ? incident.acknowledged_by : incident.resolution_note) ?? null;
}

/** What it would show of ours. */
function sent(action: NamedAction): string {
  return action.note ?? action.userName;
}

function showsAnother(incident: Incident, action: NamedAction): boolean {
  const shown = trace(incident, action);
  return shown !== null && !isSameText(shown, sent(action));
}

function isTooLate(incident: Incident, action: PendingAction): boolean {
  return action.kind === 'acknowledge' && incident.status === 'closed';
}

function confirmationOf(action: NamedAction, at: Date): Confirmation {
  const user = action.userName;
  return action.kind === 'acknowledge'
    ? { kind: 'acknowledge', user, at }
    : { kind: 'resolve', user, at, note: action.note ?? '' };
}

/** Of a service that acts on an incident which it never lets us read. */
function unreadIncident(id: string, at: Date): Incident {
  return { id, status: 'open', signal_count: 0, root_service: 'unknown', opened_at: at.toISOString() };
}

/** One at a time for each key, in the order of asking: two clicks on one incident see each other's result. */
function createKeyedQueue(): <Result>(key: string, run: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === mine) {
        tails.delete(key);
      }
    }
  };
}
