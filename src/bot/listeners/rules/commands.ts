import { subDays } from 'date-fns/subDays';
import { noiseOf, proposeFilter } from '../../domain/noise.ts';
import { answer as sentence } from '../../views/answers.ts';
import { plural } from '../../views/mrkdwn.ts';
import { type RulesReport, rulesMessage } from '../../views/rule-words.ts';
import { type Asker, originOf } from '../answering.ts';
import { answers, type CommandHandler, type CommandRequest } from '../commands/handler.ts';
import type { ListenerDeps } from '../deps.ts';
import { openRuleForm, ruleChannel } from './open-rule-form.ts';
import { answeringRuleMakers } from './permission.ts';

const REPORT_DAYS = 30;

export const handleSubscribe: CommandHandler = async (deps, { asker, triggerId, respond, ack }) => {
  await ack();
  await answeringRuleMakers(deps, asker, respond, (answer) => openRuleForm(deps, asker, triggerId, null, answer));
};

export const handleUnsubscribe: CommandHandler = async (deps, { asker, respond, ack }) => {
  await ack();
  await answeringRuleMakers(deps, asker, respond, async (answer) => {
    const rules = await deps.store.rules.ofChannel(await ruleChannel(deps, asker));
    const deleted = await deps.store.rules.delete(rules.map(({ id }) => id));
    await recordRuleChange(deps, asker, 'unsubscribe', deleted.length);
    const text =
      deleted.length === 0
        ? 'No incidents come here, so nothing was changed.'
        : `${plural(deleted.length, 'rule')} deleted. No new incidents come here; cards that are here are kept up to date.`;
    await answer(sentence(text));
  });
};

export const handleRules: CommandHandler = answers(async (deps, request: CommandRequest, answer) =>
  answer(rulesMessage(await readRulesReport(deps, await ruleChannel(deps, request.asker)))),
);

export async function readRulesReport(deps: ListenerDeps, channelId: string): Promise<RulesReport> {
  const [rules, cards] = await Promise.all([
    deps.store.rules.ofChannel(channelId),
    deps.store.rules.pastCards(channelId, subDays(deps.now(), REPORT_DAYS)),
  ]);
  return { rules, noise: noiseOf(cards), proposal: proposeFilter(cards) };
}

export async function recordRuleChange(
  deps: Pick<ListenerDeps, 'store' | 'people'>,
  asker: Asker,
  action: string,
  count: number,
): Promise<void> {
  await deps.store.auditLog.record({
    action,
    incidentId: null,
    slackUserId: asker.slackUserId,
    userName: deps.people.cached(asker.slackUserId)?.name ?? null,
    channelId: asker.channelId,
    origin: originOf(asker),
    outcome: 'done',
    detail: plural(count, 'rule'),
  });
}
