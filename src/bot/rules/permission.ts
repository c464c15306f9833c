import type { RespondFn } from '@slack/bolt';
import type { SlackUserId } from '../domain/identifiers.ts';
import type { NotAllowed } from '../domain/person.ts';
import { type Answer, type Asker, answeringMembers } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { mayNotChangeRules } from '../views/answers.ts';

/** Like `answering`, but refuses everybody who may not change rules. */
export function answeringRuleMakers(
  deps: ListenerDeps,
  asker: Asker,
  respond: RespondFn,
  react: (answer: Answer) => Promise<void>,
): Promise<void> {
  return answeringMembers(deps, asker, respond, async (answer) => {
    const why = await refusalToChangeRules(deps, asker.slackUserId);
    await (why === null ? react(answer) : answer(mayNotChangeRules(why)));
  });
}

/** @returns null: the person may change rules */
export async function refusalToChangeRules(deps: ListenerDeps, slackUserId: SlackUserId): Promise<NotAllowed | null> {
  const { standing } = await deps.people.find(slackUserId);
  return standing === 'member' ? deps.ruleMakers.refusal(slackUserId) : { kind: standing };
}
