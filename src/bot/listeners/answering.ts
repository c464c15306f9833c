import type { RespondFn } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import type { Action, ActionRequest } from '../domain/action.ts';
import type { Standing } from '../domain/person.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { ServiceWrites } from '../service-writes/service-writes.ts';
import type { Store } from '../store/store.ts';
import { mayNotAct, outcomeAnswer, somethingBroke } from '../views/answers.ts';
import type { ListenerDeps } from './deps.ts';

/** A modal's trigger lives three seconds, so nobody waits longer for Slack to say who they are. */
const LOOK_UP_MS = 1_000;

/** @throws what Slack's client throws, when the person could not be told */
export type Answer = (message: SlackMessage) => Promise<void>;

/** Who asked, and where. */
export interface Asker {
  readonly slackUserId: string;
  readonly channelId: string | null;
  /** The control or command they used, for the audit log. */
  readonly what: string;
}

/**
 * Runs what answers a person, so that they hear something in any case: where they asked, without touching the message
 * they clicked in; in another way if Slack does not take that; and that Tocsin failed, if it does.
 *
 * @throws what Slack's client throws, when the person could not be told
 */
export async function answering(
  deps: Pick<ListenerDeps, 'people' | 'logger'>,
  asker: Asker,
  respond: RespondFn,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  const answer: Answer = async (message) => {
    try {
      await respond({ ...message, response_type: 'ephemeral', replace_original: false });
    } catch (err) {
      deps.logger.warn({ err }, 'an answer was not accepted where it was asked for');
      await deps.people.tell(asker, message);
    }
  };
  try {
    await react(answer);
  } catch (err) {
    deps.logger.error({ err, what: asker.what }, 'a listener failed');
    await answer(somethingBroke());
  }
}

/** The same for members only: guests and people from other workspaces are refused. */
export function answeringMembers(
  deps: Pick<ListenerDeps, 'people' | 'store' | 'logger'>,
  asker: Asker,
  respond: RespondFn,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  return answering(deps, asker, respond, async (answer) => {
    const standing = await standingOf(deps, asker.slackUserId);
    if (standing === 'member') {
      return react(answer);
    }
    await deps.store.auditLog.record({
      action: asker.what.slice(0, 200),
      incidentId: null,
      slackUserId: asker.slackUserId,
      userName: null,
      channelId: asker.channelId,
      outcome: 'refused',
      detail: standing,
    });
    await answer(mayNotAct(standing));
  });
}

/** What somebody asks for is checked again before it is sent, so a slow look-up keeps nobody from asking. */
async function standingOf({ people }: Pick<ListenerDeps, 'people'>, slackUserId: string): Promise<Standing> {
  return withTimeout(LOOK_UP_MS, () => people.find(slackUserId)).then(
    ({ standing }) => standing,
    () => 'member' as const,
  );
}

/** Sends a stored action, tells the person the outcome, and notes that they were told. */
export async function sendAndAnswer(
  deps: { readonly serviceWrites: Pick<ServiceWrites, 'send' | 'markAnswered'> },
  action: Action,
  answer: Answer,
): Promise<void> {
  await answer(outcomeAnswer(await deps.serviceWrites.send(action)));
  await deps.serviceWrites.markAnswered([action]);
}

/**
 * Stores what somebody asks for, then acknowledges, then sends it. What cannot be stored is not acknowledged, so that
 * Slack tells the person.
 *
 * @throws what the database throws
 */
export async function keepThenSend(
  deps: Pick<ListenerDeps, 'people' | 'logger'> & {
    readonly serviceWrites: Pick<ServiceWrites, 'keep' | 'send' | 'markAnswered'>;
  },
  request: ActionRequest,
  asker: Asker,
  { ack, respond }: { ack: () => Promise<void>; respond: RespondFn },
): Promise<void> {
  const kept = await deps.serviceWrites.keep(request);
  await ack();
  if (kept.kind === 'new') {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, kept.action, answer));
  }
}

/** The id behind what somebody typed: `#142`, `142` or an id. What is not known here the service may know. */
export async function resolveReference(store: Store, typed: string): Promise<string> {
  const bare = typed.startsWith('#') ? typed.slice(1) : typed;
  if (bare === typed && (await store.incidents.find(typed)) !== null) {
    return typed;
  }
  const number = /^\d{1,15}$/.test(bare) ? Number(bare) : null;
  return (number === null ? null : await store.incidents.findIdByNumber(number)) ?? bare;
}
