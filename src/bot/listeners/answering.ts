import type { RespondFn } from '@slack/bolt';
import type { Standing } from '../slack/people.ts';
import type { Store } from '../store/store.ts';
import { mayNotAct, somethingBroke } from '../views/answers.ts';
import type { SlackMessage } from '../views/message.ts';
import type { ListenerDeps } from './deps.ts';

/** Slack waits three seconds. */
const LATEST_ACK_MS = 2_000;

/** @throws what Slack's client throws, when the person could not be told */
export type Answer = (message: SlackMessage) => Promise<void>;

/** Who asked, and where. */
export interface Asker {
  readonly slackUserId: string;
  readonly channelId: string | null;
  /** What they pressed or typed, for the audit log. */
  readonly what: string;
}

/**
 * Runs what answers a person, so that they hear something in any case: where they clicked or typed, without touching the
 * message they clicked in; another way if Slack does not take that; and that we failed, if we do. Guests and strangers
 * are refused.
 *
 * @throws what Slack's client throws, when the person could not be told
 */
export async function answering(
  deps: Pick<ListenerDeps, 'people' | 'store' | 'now' | 'logger'>,
  asker: Asker,
  respond: RespondFn,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  const answer: Answer = async (message) => {
    try {
      await respond({ ...message, response_type: 'ephemeral', replace_original: false });
    } catch (err) {
      deps.logger.warn({ err }, 'an answer was not taken where it was asked for');
      await deps.people.tell(asker, message);
    }
  };
  try {
    const standing = await deps.people.standingOf(asker.slackUserId);
    if (standing !== 'member') {
      await recordRefusal(deps, asker, standing);
      return await answer(mayNotAct(standing));
    }
    await react(answer);
  } catch (err) {
    deps.logger.error({ err, what: asker.what }, 'a listener failed');
    await answer(somethingBroke());
  }
}

/**
 * For what must not be lost: acknowledges once it is kept, which `react` tells, or once `react` has ended; at the latest
 * when Slack's patience is nearly over. Until then a bot that dies, or cannot tell the person, leaves it to Slack to say
 * that nothing happened.
 */
export async function ackOnceKept(
  ack: () => Promise<void>,
  react: (onKept: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const latest = setTimeout(() => void ack().catch(() => undefined), LATEST_ACK_MS);
  try {
    await react(async () => {
      clearTimeout(latest);
      await ack();
    });
    await ack();
  } finally {
    clearTimeout(latest);
  }
}

export async function recordRefusal(
  deps: Pick<ListenerDeps, 'store' | 'now'>,
  { slackUserId, channelId, what }: Asker,
  standing: Standing,
): Promise<void> {
  await deps.store.auditLog.record({
    at: deps.now(),
    action: what.slice(0, 200),
    incidentId: null,
    slackUserId,
    userName: null,
    channelId,
    outcome: 'refused',
    detail: standing,
  });
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
