import type { Logger } from 'pino';
import { ServiceClientError } from '../../client/errors.ts';
import type { Incident } from '../../contract/resources.ts';
import { carryOut, type Effect } from '../../effects/carry-out.ts';
import type { SlackUserId } from '../slack/identifiers.ts';
import type { NotAllowed, Person } from '../slack/person.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Action, ActionKind, NamedAction, Newer, Outcome } from './action.ts';
import type { ActionStore, DoneAction } from './action-store.ts';
import { auditEntry } from './audit-entry.ts';
import { type ActionDefinitions, definitionOf } from './definition.ts';
import type { KindOf, Kinds, StateOf } from './kind.ts';
import { failureOf, keptReason, refusedReason } from './service-failure.ts';

type State = StateOf<ActionKind>;
/** Any kind of action. Each must only be called with its own actions; this type no longer checks that. */
type AnyKind = KindOf<ActionKind, State>;

export interface PerformDeps {
  readonly kinds: Kinds;
  readonly definitions: ActionDefinitions;
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
 * Performs an action that this process holds, as an effect (`effects/carry-out.ts`), after it found out who the person is,
 * and whether they may act. Then stores the outcome and the answer for the person. Without a final answer of the service,
 * the action is postponed.
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
  if (why?.kind === 'unknown' || why?.kind === 'unverified') {
    return conclude(deps, { kind: 'kept', action: named, reason: 'slack' }, why.kind, answerMs);
  }
  if (why !== null) {
    return conclude(deps, { kind: 'refused', action: named, reason: { kind: 'not-allowed', why } }, why.kind, answerMs);
  }
  if (action.userName === null) {
    await store.setUserName(action.id, userName);
  }
  try {
    const outcome = await carryOut(effectOf(named, deps.kinds[action.kind], deps));
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

function effectOf(action: NamedAction, kind: AnyKind, deps: PerformDeps): Effect<State, Outcome, Outcome> {
  return {
    async look() {
      const seen = await kind.read(action);
      const standing = await deps.store.standing(action);
      if (standing === null) {
        return { over: null };
      }
      const isSuperseded = standing.some(
        (other) => other.action.kind === action.kind && other.action.slackUserId === action.slackUserId,
      );
      const judged = await kind.judge(action, seen, isSuperseded);
      if (judged !== null) {
        return { over: judged };
      }
      const newer = findNewer(action, kind, seen, standing);
      return newer === null ? { seen } : { over: { kind: 'void', action, incident: incidentIn(seen), newer } };
    },

    // Another service may change its entity tag with each signal, and so refuse every condition about a busy incident.
    call: (seen, isLastTry) => kind.write(action, isLastTry && 'etag' in seen ? { ...seen, etag: null } : seen),

    failureOf,

    async lookAgain(before, error) {
      const after = await kind.read(action).catch((err: unknown) => {
        deps.logger.warn({ err, incidentId: action.incidentId }, 'the state could not be read back');
        return null;
      });
      return after === null ? null : kind.recognize(action, { before, after, error });
    },

    settle: async (_seen, outcome) => outcome, // `perform` stores it, like every other outcome
  };
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

/** @param detail reason or error, for the audit log; null: none */
async function conclude(
  { definitions, store, answerOf, retryMs }: PerformDeps,
  outcome: Outcome,
  detail: string | null,
  answerMs: number,
): Promise<Outcome | null> {
  const { action } = outcome;
  const definition = definitionOf(definitions, action.kind);
  if (outcome.kind === 'kept') {
    const error = detail ?? `kept: ${outcome.reason}`;
    const waitMs = outcome.waitMs ?? retryMs(action.attempts + 1);
    const isHeld = await store.postpone(action, auditEntry(action, definition, 'kept', error), waitMs);
    return isHeld ? outcome : null;
  }
  const isDone = outcome.kind === 'done' && outcome.incident !== null;
  const shownAt = isDone ? (definition.doneAt?.(outcome.incident) ?? null) : null;
  const entry = auditEntry(action, definition, outcome.kind, detail);
  return (await store.settle(action, entry, answerOf(outcome), answerMs, shownAt)) ? outcome : null;
}
