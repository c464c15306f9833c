import { subDays } from 'date-fns/subDays';
import { plural } from '../../incident/phrase.ts';
import type { ChannelId } from '../domain/identifiers.ts';
import { noiseOf, proposeFilter } from '../domain/noise.ts';
import { EVERYTHING, type RuleFilter } from '../domain/rule.ts';
import { type Asker, originOf } from '../listeners/answering.ts';
import { answers, type CommandHandler, type CommandRequest } from '../listeners/command-handler.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { listMutes } from '../snooze/mute-command.ts';
import { answer as sentence } from '../views/answers.ts';
import { openRuleForm, ruleChannel } from './open-rule-form.ts';
import { answeringRuleMakers } from './permission.ts';
import { unsubscribeQuestion } from './rule-answers.ts';
import { type RulesReport, rulesMessage } from './rule-words.ts';

const REPORT_DAYS = 30;

export const handleSubscribe: CommandHandler = async (deps, { asker, triggerId, respond, ack, filter: typed }) => {
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

export const handleUnsubscribe: CommandHandler = async (deps, { asker, respond, ack }) => {
  await ack();
  await answeringRuleMakers(deps, asker, respond, async (answer) => {
    const rules = await deps.store.rules.ofChannel(await ruleChannel(deps, asker));
    await answer(
      rules.length === 0 ? sentence('No incidents come here, so nothing was changed.') : unsubscribeQuestion(rules),
    );
  });
};

export const handleRules: CommandHandler = answers(async (deps, request: CommandRequest, answer) =>
  answer(rulesMessage(await readRulesReport(deps, await ruleChannel(deps, request.asker)))),
);

export async function readRulesReport(deps: ListenerDeps, channelId: ChannelId): Promise<RulesReport> {
  const [rules, mutes, planned, cards] = await Promise.all([
    deps.store.rules.ofChannel(channelId),
    listMutes(deps),
    deps.store.actions.planned(),
    deps.store.rules.pastCards(channelId, subDays(deps.now(), REPORT_DAYS)),
  ]);
  return { rules, mutes, planned, noise: noiseOf(cards), proposal: proposeFilter(cards) };
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
