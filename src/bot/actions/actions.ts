import type { Logger } from 'pino';
import type { ServiceClient } from '../../client/service-client.ts';
import { createRenewal } from '../../effects/renewal.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import type { ActionId, SlackUserId } from '../slack/identifiers.ts';
import type { People } from '../slack/people.ts';
import type { Action, ActionRequest, Cancellation, Outcome } from './action.ts';
import { perform } from './action-effect.ts';
import type { ActionStore, Kept } from './action-store.ts';
import type { AnswerStore } from './answers.ts';
import type { ActionDefinitions } from './definition.ts';
import { createIncidentAccess, type IncidentAccess } from './incident-access.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import type { Kinds } from './kind.ts';
import { createOutcomeAnswers, type OutcomeAnswers } from './outcome-answers.ts';

const RETRY = { firstMs: 1_000, longestMs: 60_000 };
const LOOK_EVERY_MS = 1_000;
/** Upper bound for replying to the waiting person; after it, a direct message is sent. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Performs what people ask for. An action is stored, performed, and its outcome reported. See `action-effect.ts`. */
export interface Actions extends Loop {
  /** What people are told. */
  readonly answers: OutcomeAnswers;
  /** Stores the request. Must complete before the request is acknowledged to Slack. */
  keep(request: ActionRequest): Promise<Kept>;
  /**
   * Performs a new action. The caller reports the outcome and calls `markAnswered`; otherwise a direct message follows.
   *
   * @returns null: another process has taken the action over, and reports the outcome
   */
  send(action: Action): Promise<Outcome | null>;
  markAnswered(actions: readonly Action[]): Promise<void>;
  /** Sends the stored answers as a direct message at once. */
  tellDirectly(actions: readonly Action[]): Promise<void>;
  /** Cancels a pending action for the person who requested it. Responders may also cancel planned mutes of others. */
  cancel(actionId: ActionId, slackUserId: SlackUserId): Promise<Cancellation>;
}

export function createActions(deps: {
  service: ServiceClient;
  store: { readonly actions: ActionStore; readonly answers: AnswerStore; readonly incidents: IncidentStore };
  definitions: ActionDefinitions;
  /** All kinds of actions, made with this access to incidents. */
  createKinds: (incidents: IncidentAccess) => Kinds;
  people: Pick<People, 'find' | 'cached' | 'refusal'>;
  /** Called when a message may need a redraw. */
  onChanged: () => void;
  logger: Logger;
  clock: Clock;
}): Actions {
  const { service, store, definitions, people, onChanged, logger, clock } = deps;
  const answers = createOutcomeAnswers(definitions);
  const { now } = clock;
  const inOrder = createKeyedQueue();
  const incidents = createIncidentAccess({ service, store, onChanged, logger, now });
  const kinds = deps.createKinds(incidents);
  const retryMs = (attempts: number) => backoffMs(RETRY, attempts);
  const renewal = createRenewal({
    keyOf: ({ id, attempts }: Action) => `${id} ${attempts}`,
    renew: (claimed) => store.actions.renew(claimed),
    logger,
    clock,
  });

  /** @param answerMs how long the caller has to report the outcome */
  function send(action: Action, answerMs: number): Promise<Outcome | null> {
    return renewal.during(action, () =>
      inOrder(action.incidentId ?? 'mutes', async () => {
        const deps = {
          kinds,
          definitions,
          store: store.actions,
          people,
          answerOf: (outcome: Outcome) => answers.outcomeAnswer(outcome),
          retryMs,
          logger,
        };
        const outcome = await perform(action, answerMs, deps);
        onChanged();
        return outcome;
      }),
    );
  }

  async function step(stopping: AbortSignal): Promise<number> {
    while (!stopping.aborted) {
      const action = await store.actions.claim();
      if (action === null) {
        break;
      }
      await send(action, 0);
    }
    return LOOK_EVERY_MS;
  }

  const loop = createLoop({ name: 'actions', step, retry: RETRY, logger, clock });
  return {
    ...loop,
    answers,
    async keep(request) {
      const kept = await store.actions.keep(request, people.cached(request.slackUserId)?.name ?? null);
      if (kept.kind === 'new') {
        renewal.expect(kept.action);
      }
      return kept;
    },
    send: (action) => send(action, ANSWER_TIMEOUT_MS),
    markAnswered: (actions) => store.answers.markGiven(actions.map(({ id }) => id)),
    async tellDirectly(actions) {
      await store.answers.tellDirectly(actions.map(({ slackUserId }) => slackUserId));
      onChanged();
    },
    async cancel(actionId, slackUserId) {
      const isResponder = (await people.refusal(slackUserId)) === null;
      const cancellation = await store.actions.cancel(actionId, slackUserId, isResponder);
      onChanged();
      return cancellation;
    },
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      renewal.stop();
    },
  };
}
