import type { RespondFn } from '@slack/bolt';
import type { ActionStore } from '../../actions/action-store.ts';
import type { LabelNames } from '../../incident/label-names.ts';
import { type Answer, type Asker, answeringMembers } from '../../listeners/answering.ts';
import { mayNotChangeRules } from '../../listeners/answers.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { NotAllowed } from '../../slack/person.ts';
import type { Responders } from '../../slack/responders.ts';
import type { RuleStore } from './rules.ts';

/** What this room needs beside what all listeners share. */
export type RulesDeps = ListenerDeps<{
  readonly rules: RuleStore;
  readonly labelNames: LabelNames;
  readonly actions: Pick<ActionStore, 'planned'>;
}> & {
  /** Members of the user group that may change rules. */
  readonly ruleMakers: Responders;
};

/** Like `answering`, but refuses everybody who may not change rules. */
export function answeringRuleMakers(
  deps: RulesDeps,
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
export async function refusalToChangeRules(deps: RulesDeps, slackUserId: SlackUserId): Promise<NotAllowed | null> {
  const { standing } = await deps.people.find(slackUserId);
  return standing === 'member' ? deps.ruleMakers.refusal(slackUserId) : { kind: standing };
}
