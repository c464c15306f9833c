import { withTimeout } from '../../../runtime/timeout.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import type { Answer, Asker } from '../../listeners/answering.ts';
import { openForm } from '../../listeners/open-form.ts';
import { timeZoneOf } from '../snooze/end-of-snooze.ts';
import type { RulesDeps } from './permission.ts';
import { EVERYTHING, type Rule, type RuleSettings } from './rule.ts';
import { type Choice, ruleForm } from './rule-form.ts';

/** Timeout of each look-up, because the trigger expires after three seconds. The form opens without late results. */
const LOOK_UP_MS = 1_200;

/** The channel that the person's rules apply to; outside channels, their direct messages with the bot. */
export async function ruleChannel(deps: Pick<RulesDeps, 'api'>, { slackUserId, channelId }: Asker): Promise<string> {
  if (channelId !== null && !channelId.startsWith('D')) {
    return channelId;
  }
  const { channel } = await deps.api.conversations.open({ users: slackUserId });
  return channel?.id ?? slackUserId;
}

/** @param prefilled an existing rule, or the filter of a new one; null: an empty form */
export async function openRuleForm(
  deps: RulesDeps,
  asker: Asker,
  triggerId: string,
  prefilled: Rule | Pick<RuleSettings, 'filter'> | null,
  answer: Answer,
): Promise<void> {
  const within = <Value>(look: () => Promise<Value>, otherwise: Value) =>
    withTimeout(LOOK_UP_MS, look).catch(() => otherwise);
  const isDirect = asker.channelId?.startsWith('D') ?? true;
  const [channelId, timeZone, groups, integrations, hasLabels] = await Promise.all([
    isDirect ? within(() => ruleChannel(deps, asker), null) : asker.channelId,
    within(() => timeZoneOf(deps, asker.slackUserId), 'UTC'),
    within(() => deps.groups.list(), []),
    within(() => listIntegrations(deps), []),
    within(() => deps.store.labelNames.areReported(), null),
  ]);
  if (channelId === null) {
    return answer(sentence('Slack did not say which conversation this is. Please try again.'));
  }
  const existing = prefilled !== null && 'id' in prefilled ? prefilled : null;
  const empty = {
    channelId,
    filter: prefilled?.filter ?? EVERYTHING,
    escalation: [],
    quietHours: null,
    handover: null,
  };
  const settings: RuleSettings = existing ?? empty;
  const zone = settings.quietHours?.timeZone ?? settings.handover?.timeZone ?? timeZone;
  const context = {
    ruleId: existing?.id ?? null,
    channelId: asker.channelId ?? channelId,
    directId: isDirect ? channelId : null,
    timeZone: zone,
  };
  await openForm(deps, { triggerId, modal: ruleForm({ context, settings, groups, integrations, hasLabels }) }, answer);
}

/** Those that send signals; a service may list others too. */
async function listIntegrations({ service }: RulesDeps): Promise<Choice[]> {
  const listed = await service.listIntegrations();
  return listed
    .filter(({ type }) => type !== 'slack' && type !== 'webhook' && type !== 'pagerduty')
    .map(({ id, name, type }) => ({ id, name: name ?? type ?? id }));
}
