import type { RespondFn } from '@slack/bolt';
import type { Logger } from 'pino';
import { withTimeout } from '../../runtime/timeout.ts';
import type { Action, ActionRequest } from '../actions/action.ts';
import type { Actions } from '../actions/actions.ts';
import { mayNotAct } from '../actions/refusal-words.ts';
import { answersInOne } from '../blocks/answer.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import { hadNoEffect } from '../slack/errors.ts';
import type { ChannelId, SlackUserId } from '../slack/identifiers.ts';
import type { NotAllowed } from '../slack/person.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import { somethingBroke } from './answers.ts';
import type { ListenerDeps } from './deps.ts';

/** A modal's trigger expires after three seconds, so the look-up of the person must be shorter. */
const LOOK_UP_MS = 1_000;

/**
 * @param otherwise tells the person if it is unclear whether the answer was shown. Absent: nobody is told twice, so
 *   somebody may not be told at all.
 * @throws errors of Slack's client if the person could not be answered
 */
export type Answer = (message: SlackMessage, otherwise?: () => Promise<void>) => Promise<void>;

/** The person who asked, and where. */
export interface Asker {
  readonly slackUserId: SlackUserId;
  readonly channelId: ChannelId | null;
  /** The control or command they used, for the audit log. */
  readonly what: string;
}

/**
 * Runs `react` and makes sure that the person gets an answer. The answer goes to where they asked and does not replace
 * the message they clicked in; if Slack refuses that, it goes through `people.notify`. If `react` fails, the person is told.
 *
 * @param respond undefined: Slack gave no address for responses, as for a global shortcut or a button in a modal
 * @throws errors of Slack's client if the person could not be answered
 */
export async function answering(
  deps: Pick<ListenerDeps, 'people' | 'logger'>,
  asker: Asker,
  respond: RespondFn | undefined,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  const answer: Answer = async (message, otherwise) => {
    const notify = () => deps.people.notify(asker, message, otherwise);
    if (respond === undefined) {
      return notify();
    }
    try {
      await respond({ ...message, response_type: 'ephemeral', replace_original: false });
    } catch (err) {
      const isRefused = hadNoEffect(err);
      deps.logger.warn({ err, isRefused }, 'a response failed');
      await (isRefused ? notify() : otherwise?.());
    }
  };
  try {
    await react(answer);
  } catch (err) {
    deps.logger.error({ err, what: asker.what }, 'a listener failed');
    await answer(somethingBroke());
  }
}

type Guarded = Pick<ListenerDeps, 'people' | 'store' | 'logger'>;

/** Like `answering`, but refuses guests and people from other workspaces. Those whom Slack does not tell apart may look. */
export function answeringMembers(
  deps: Guarded,
  asker: Asker,
  respond: RespondFn | undefined,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  const isOutsider = async (): Promise<NotAllowed | null> => {
    const { standing } = await deps.people.find(asker.slackUserId);
    return standing === 'member' || standing === 'unknown' ? null : { kind: standing };
  };
  return answeringUnless(deps, isOutsider, asker, respond, react);
}

/** Like `answering`, but refuses everybody who may not act on incidents. */
export function answeringResponders(
  deps: Guarded,
  asker: Asker,
  respond: RespondFn | undefined,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  return answeringUnless(deps, () => deps.people.refusal(asker.slackUserId), asker, respond, react);
}

/** Refuses nobody if the look-up is slow; every action is checked again before it is sent. */
function answeringUnless(
  deps: Guarded,
  find: () => Promise<NotAllowed | null>,
  asker: Asker,
  respond: RespondFn | undefined,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  return answering(deps, asker, respond, async (answer) => {
    const why = await withTimeout(LOOK_UP_MS, find).catch(() => null);
    if (why === null) {
      return react(answer);
    }
    await deps.store.auditLog.record({
      action: originOf(asker),
      incidentId: null,
      slackUserId: asker.slackUserId,
      userName: null,
      channelId: asker.channelId,
      origin: originOf(asker),
      outcome: 'refused',
      detail: why.kind,
    });
    await answer(mayNotAct(why));
  });
}

/** The control or command as the audit log has it. */
export function originOf({ what }: Asker): string {
  return what.slice(0, 200);
}

/**
 * Sends stored actions, answers with all outcomes together, and records that they were answered. An action that fails on
 * the way is stored and will be done, so its person is told that it is kept, and its outcome later.
 *
 * @param findOpen finds what to offer if somebody named an incident that does not exist
 */
export async function sendAndAnswer(
  deps: {
    readonly actions: Pick<Actions, 'answers' | 'send' | 'markAnswered' | 'tellDirectly'>;
    readonly logger: Logger;
  },
  actions: readonly Action[],
  answer: Answer,
  findOpen: () => Promise<readonly Snapshot[]> = () => Promise.resolve([]),
): Promise<void> {
  const outcomes: SlackMessage[] = [];
  /** The action whose outcome is stored until it is marked as given; null: its outcome comes later. */
  const settled: (Action | null)[] = [];
  for (const action of actions) {
    const outcome = await deps.actions.send(action).catch((err: unknown) => {
      deps.logger.error({ err, actionId: action.id }, 'an action failed and will be taken over');
      return 'failed' as const;
    });
    if (outcome === 'failed') {
      outcomes.push(deps.actions.answers.actionKept(action));
      settled.push(null);
    } else if (outcome !== null) {
      const isUnknown = outcome.kind === 'refused' && outcome.reason.kind === 'unknown-incident';
      outcomes.push(deps.actions.answers.outcomeAnswer(outcome, isUnknown ? await findOpen() : []));
      settled.push(outcome.kind === 'kept' ? null : action);
    }
  }
  for (let done = 0; done < outcomes.length; ) {
    const { message, included } = answersInOne(outcomes.slice(done));
    const these = settled.slice(done, done + included).flatMap((action) => action ?? []);
    await answerSettled(deps, these, message, answer);
    done += included;
  }
}

/**
 * Answers with the outcomes of settled actions, and records that they were answered. If it is unclear whether the answer was
 * shown, a direct message with the stored outcomes follows, which is exact.
 */
export async function answerSettled(
  deps: { readonly actions: Pick<Actions, 'markAnswered' | 'tellDirectly'>; readonly logger: Logger },
  settled: readonly Action[],
  message: SlackMessage,
  answer: Answer,
): Promise<void> {
  let isAnswered = true;
  const tellDirectly = () => {
    isAnswered = false;
    return deps.actions.tellDirectly(settled);
  };
  await answer(message, settled.length > 0 ? tellDirectly : undefined);
  if (isAnswered && settled.length > 0) {
    // Without the mark, a direct message repeats the answer. Nothing is to be said about that here.
    await deps.actions
      .markAnswered(settled)
      .catch((err: unknown) => deps.logger.warn({ err }, 'an answer could not be marked as given'));
  }
}

/** Sends the action of a submitted form. The person is told the outcome where they opened the form. */
export function sendAndNotify(
  deps: Pick<ListenerDeps, 'actions' | 'people' | 'logger'>,
  action: Action,
): Promise<void> {
  return sendAndAnswer(deps, [action], (message, otherwise) => deps.people.notify(action, message, otherwise));
}

type WithoutOrigin<Request> = Request extends unknown ? Omit<Request, 'origin'> : never;

/**
 * Stores a requested action, then acknowledges, then sends it. A request that cannot be stored stays unacknowledged, so
 * Slack shows the person an error.
 *
 * @throws errors of the database
 */
export async function keepThenSend(
  deps: Pick<ListenerDeps, 'people' | 'logger'> & {
    readonly actions: Pick<Actions, 'answers' | 'keep' | 'send' | 'markAnswered' | 'tellDirectly'>;
  },
  request: ActionRequest | WithoutOrigin<ActionRequest>,
  asker: Asker,
  { ack, respond }: { ack: () => Promise<void>; respond: RespondFn },
): Promise<void> {
  const kept = await deps.actions.keep({ ...request, origin: originOf(asker) });
  await ack();
  if (kept.kind === 'new') {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, [kept.action], answer));
  }
}

/** Finds the id for what somebody typed: `#142`, `142` or an id. Unknown references are passed on to the service. */
export async function resolveReference(store: { readonly incidents: IncidentStore }, typed: string): Promise<string> {
  const bare = typed.startsWith('#') ? typed.slice(1) : typed;
  if (bare === typed && (await store.incidents.find(typed)) !== null) {
    return typed;
  }
  const number = /^\d{1,15}$/.test(bare) ? Number(bare) : null;
  return (number === null ? null : await store.incidents.findIdByNumber(number)) ?? bare;
}
