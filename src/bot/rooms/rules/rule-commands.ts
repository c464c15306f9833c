import { plural } from '../../../incident/phrase.ts';
import type { RuleFilter } from '../../../incident/rule-filter.ts';
import { subDays } from '../../../runtime/dates.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import { type Asker, originOf } from '../../listeners/answering.ts';
import { answers, type CommandHandler, type CommandRequest } from '../../listeners/command-handler.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import { listMutes } from '../snooze/mute-command.ts';
import { noiseOf, proposeFilter } from './noise.ts';
import { openRuleForm, ruleChannel } from './open-rule-form.ts';
import type { RulesDeps } from './permission.ts';
import { answeringRuleMakers } from './permission.ts';
import { EVERYTHING } from './rule.ts';
import { unsubscribeQuestion } from './rule-answers.ts';
import { type RulesReport, rulesMessage } from './rule-words.ts';

const REPORT_DAYS = 30;

export const handleSubscribe: CommandHandler<RulesDeps> = async (
  deps,
  { asker, triggerId, respond, ack, filter: typed },
) => {
  await ack();
  const { service, severity, labels } = typed;
  const filter: RuleFilter = {
    ...EVERYTHING,
    services: service === null ? [] : [service],
    severities: severity === null ? [] : [severity],
    labels: labels ?? [],
  };
  await answeringRuleMakers(deps, asker, respond, (answer) => openRuleForm(deps, asker, triggerId, { filter }, answer));
};

export const handleUnsubscribe: CommandHandler<RulesDeps> = async (deps, { asker, respond, ack }) => {
  await ack();
  await answeringRuleMakers(deps, asker, respond, async (answer) => {
    const rules = await deps.store.rules.ofChannel(await ruleChannel(deps, asker));
    await answer(
      rules.length === 0 ? sentence('No incidents come here, so nothing was changed.') : unsubscribeQuestion(rules),
    );
  });
};

export const handleRules: CommandHandler<RulesDeps> = answers(async (deps, request: CommandRequest, answer) =>
  answer(rulesMessage(await readRulesReport(deps, await ruleChannel(deps, request.asker)))),
);

export async function readRulesReport(deps: RulesDeps, channelId: ChannelId): Promise<RulesReport> {
  const [rules, mutes, planned, cards] = await Promise.all([
    deps.store.rules.ofChannel(channelId),
    listMutes(deps),
    deps.store.actions.planned(),
    deps.store.rules.pastCards(channelId, subDays(deps.now(), REPORT_DAYS)),
  ]);
  return { rules, mutes, planned, noise: noiseOf(cards), proposal: proposeFilter(cards) };
}

export async function recordRuleChange(
  deps: Pick<RulesDeps, 'store' | 'people'>,
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
