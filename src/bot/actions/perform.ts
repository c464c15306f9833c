import type { Logger } from 'pino';
import { ServiceClientError } from '../../client/errors.ts';
import type { Incident } from '../../contract/resources.ts';
import type { Action, ActionKind, NamedAction, Newer, Outcome } from '../domain/action.ts';
import type { SlackUserId } from '../domain/identifiers.ts';
import { effectAt } from '../domain/incident.ts';
import type { NotAllowed, Person } from '../domain/person.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { ActionStore, DoneAction } from '../store/actions.ts';
import { auditEntry } from './audit-entry.ts';
import type { KindOf, Kinds, StateOf } from './kind.ts';
import { isOvertaken, isWorthReadingBack, keptReason, refusedReason } from './service-failure.ts';

type State = StateOf<ActionKind>;
/** Any kind of action. Each must only be called with its own actions; this type no longer checks that. */
type AnyKind = KindOf<ActionKind, State>;

/** Attempts at a conditional write. New signals change the entity tag too, so a 412 is retried. */
const MOST_TRIES = 5;

export interface PerformDeps {
  readonly kinds: Kinds;
  readonly store: Pick<ActionStore, 'setUserName' | 'standing' | 'settle' | 'postpone'>;
  readonly people: {
    find(slackUserId: SlackUserId): Promise<Person>;
    refusal(slackUserId: SlackUserId): Promise<NotAllowed | null>;
  };
  /** Renders the direct message with an outcome. */
  readonly answerOf: (outcome: Outcome) => SlackMessage;
  readonly retryMs: (attempts: number) => number;
  readonly logger: Logger;
}

/**
 * Performs an action that this process holds, exactly once:
 *
 * 1. Find out who the person is, and whether they may act.
 * 2. Read the state. If it is done already or impossible, that is the outcome.
 * 3. Ask whether the action is still wanted. If something newer took its place, it is void. If another process has taken
 *    it over, nothing is written.
 * 4. Write. If the state changed since it was read, begin again. After an unclear answer, read the state back.
 * 5. Settle: store the outcome and the answer for the person. Without a final answer of the service, postpone.
 *
 * A process that dies between any two of these leaves an action that another one takes over at step 1.
 *
 * @param answerMs time for the caller to report the outcome; after that, a direct message is sent
 * @returns null: another process has taken the action over, and reports the outcome
 */
export async function perform(action: Action, answerMs: number, deps: PerformDeps): Promise<Outcome | null> {
  const { store, people } = deps;
  const { name, userId } = await people.find(action.slackUserId);
  const userName = action.userName ?? name;
  const named: NamedAction = { ...action, userName, userId };
  const why = await people.refusal(action.slackUserId);
  if (why !== null) {
    return conclude(deps, { kind: 'refused', action: named, reason: { kind: 'not-allowed', why } }, why.kind, answerMs);
  }
  if (action.userName === null) {
    await store.setUserName(action.id, userName);
  }
  try {
    const outcome = await attempt(named, deps.kinds[action.kind], deps, MOST_TRIES);
    return outcome === null ? null : await conclude(deps, outcome, null, answerMs);
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error; // the lease expires, and the action is taken over
    }
    const reason = refusedReason(error);
    if (reason === null) {
      const { id: actionId, incidentId } = action;
      deps.logger.warn({ err: error, incidentId, actionId }, 'an action could not be sent and will be retried');
    }
    const outcome: Outcome =
      reason === null
        ? { kind: 'kept', action: named, reason: keptReason(error) }
        : { kind: 'refused', action: named, reason };
    return conclude(deps, outcome, error.message, answerMs);
  }
}

async function attempt(
  action: NamedAction,
  kind: AnyKind,
  deps: PerformDeps,
  triesLeft: number,
): Promise<Outcome | null> {
  const before = await kind.read(action);
  const standing = await deps.store.standing(action);
  if (standing === null) {
    return null;
  }
  const isSuperseded = standing.some(
    (other) => other.action.kind === action.kind && other.action.slackUserId === action.slackUserId,
  );
  const judged = await kind.judge(action, before, isSuperseded);
  if (judged !== null) {
    return judged;
  }
  const newer = findNewer(action, kind, before, standing);
  if (newer !== null) {
    return { kind: 'void', action, incident: incidentIn(before), newer };
  }
  try {
    return await kind.write(action, before);
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    if (isOvertaken(error) && triesLeft > 1) {
      return attempt(action, kind, deps, triesLeft - 1);
    }
    const outcome = isWorthReadingBack(error) ? await readBack(action, kind, { before, error }, deps) : null;
    if (outcome === null) {
      throw error;
    }
    return outcome;
  }
}

/** What makes the action void; null: it is still wanted. */
function findNewer(action: NamedAction, kind: AnyKind, before: State, done: readonly DoneAction[]): Newer | null {
  const newer = done.findLast((other) => other.isNewer && kind.isVoidedBy(action, other.action));
  if (newer !== undefined) {
    const { kind: newerKind, slackUserId, userName } = newer.action;
    return { kind: newerKind, at: newer.at, by: slackUserId === action.slackUserId ? null : (userName ?? slackUserId) };
  }
  return action.attempts > 0 ? kind.voidedIn(action, before) : null;
}

function incidentIn(state: State): Incident | null {
  return 'incident' in state ? state.incident : null;
}

async function readBack(
  action: NamedAction,
  kind: AnyKind,
  doubt: { before: State; error: ServiceClientError },
  { logger }: PerformDeps,
): Promise<Outcome | null> {
  const after = await kind.read(action).catch((err: unknown) => {
    logger.warn({ err, incidentId: action.incidentId }, 'the state could not be read back');
    return null;
  });
  return after === null ? null : kind.recognize(action, { ...doubt, after });
}

/** @param detail reason or error, for the audit log; null: none */
async function conclude(
  { store, answerOf, retryMs }: PerformDeps,
  outcome: Outcome,
  detail: string | null,
  answerMs: number,
): Promise<Outcome | null> {
  const { action } = outcome;
  if (outcome.kind === 'kept') {
    const error = detail ?? `kept: ${outcome.reason}`;
    const waitMs = outcome.waitMs ?? retryMs(action.attempts + 1);
    const isHeld = await store.postpone(action, auditEntry(action, 'kept', error), waitMs);
    return isHeld ? outcome : null;
  }
  const isDone = outcome.kind === 'done' && outcome.incident !== null;
  const shownAt = isDone ? effectAt(outcome.incident, outcome.action.kind) : null;
  const entry = auditEntry(action, outcome.kind, detail);
  return (await store.settle(action, entry, answerOf(outcome), answerMs, shownAt)) ? outcome : null;
}
