import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { ServiceClientError } from '../../../client/errors.ts';
import { subDays } from '../../../runtime/dates.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import { mayNotChangeRules } from '../../listeners/answers.ts';
import { ChannelError, joinChannel } from '../../slack/channels.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import { dryRun } from './noise.ts';
import type { RulesDeps } from './permission.ts';
import { refusalToChangeRules } from './permission.ts';
import { readRuleForm } from './read-rule-form.ts';
import { readRecentIncidents } from './recent-incidents.ts';
import type { RuleSettings } from './rule.ts';
import { type DryRun, isTooLong, parseRuleContext, parseRuleDraft, ruleCheck } from './rule-check.ts';
import { recordRuleChange } from './rule-commands.ts';
import { RULE_FIELDS } from './rule-form.ts';
import { filterWords } from './rule-words.ts';

type SubmissionArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;

/** Slack waits three seconds; after this timeout the form stays open with what was typed. */
const CHECK_TIMEOUT_MS = 2_000;
const DRY_RUN_DAYS = 7;
const DRY_RUN_TIMEOUT_MS = 30_000;

/** The form of a rule: checks it and shows what it would have posted. Nothing is saved yet. */
export function createRuleSubmission(deps: RulesDeps) {
  return async ({ ack, view }: SubmissionArgs): Promise<void> => {
    const refuse = (errors: Readonly<Record<string, string>>) =>
      ack({ response_action: 'errors', errors: { ...errors } });
    const context = parseRuleContext(view.private_metadata);
    const read = context && readRuleForm(view.state.values, context);
    if (context === null || read === null) {
      return refuse({ [RULE_FIELDS.services]: 'This form is out of date. Please open it again.' });
    }
    if (read.kind === 'wrong') {
      return refuse(read.errors);
    }
    const { settings } = read;
    const draft = { context, settings: mutable(settings) };
    if (isTooLong(draft)) {
      return refuse({ [RULE_FIELDS.services]: 'These are too many services. Use “*” for names that begin alike.' });
    }
    const [errors, cardsNow] = await Promise.all([
      withTimeout(CHECK_TIMEOUT_MS, () => join(deps, settings)).catch(() => ({})),
      withTimeout(CHECK_TIMEOUT_MS, () => deps.store.rules.countNewCards(settings)),
    ]);
    if (Object.keys(errors).length > 0) {
      return refuse(errors);
    }
    const externalId = `rule ${view.id} ${deps.now().getTime()}`;
    await ack({ response_action: 'push', view: ruleCheck(draft, cardsNow, 'counting', externalId) });
    const result = await countRecent(deps, settings);
    try {
      await deps.api.views.update({ external_id: externalId, view: ruleCheck(draft, cardsNow, result, externalId) });
    } catch (error) {
      deps.logger.info({ reason: slackErrorCode(error) }, 'the check of a rule was closed before it was complete');
    }
  };
}

/** Joins the channels of a rule. @returns what is wrong, by `block_id` */
async function join(deps: RulesDeps, { channelId, escalation }: RuleSettings): Promise<Record<string, string>> {
  const escalatedTo = escalation.find(({ target }) => target.kind === 'channel')?.target.id;
  const places = [
    { id: channelId, field: RULE_FIELDS.where },
    ...(escalatedTo === undefined ? [] : [{ id: escalatedTo, field: RULE_FIELDS.nextChannel }]),
  ].filter(({ id }) => !id.startsWith('D'));
  const errors: Record<string, string> = {};
  for (const { id, field } of places) {
    try {
      await joinChannel(deps.api, id);
    } catch (error) {
      if (!(error instanceof ChannelError)) {
        throw error;
      }
      errors[field] = 'The bot is not in this channel: invite it there with /invite.';
    }
  }
  return errors;
}

async function countRecent(deps: RulesDeps, { filter }: RuleSettings): Promise<DryRun> {
  try {
    const since = subDays(deps.now(), DRY_RUN_DAYS);
    const { incidents, isWhole } = await withTimeout(DRY_RUN_TIMEOUT_MS, () =>
      readRecentIncidents(deps.service, since),
    );
    return { ...dryRun(filter, incidents), isWhole };
  } catch (err) {
    if (!(err instanceof ServiceClientError)) {
      deps.logger.warn({ err }, 'the dry run of a rule failed');
    }
    return 'unknown';
  }
}

/** "Save" in the check of a rule. */
export function createRuleCheckSubmission(deps: RulesDeps) {
  return async ({ ack, body, view }: SubmissionArgs): Promise<void> => {
    const draft = parseRuleDraft(view.private_metadata);
    const slackUserId = body.user.id;
    if (draft === null) {
      await ack({ response_action: 'clear' });
      return deps.people.notify(
        { slackUserId, channelId: null },
        sentence('This form is out of date. Please open it again.'),
      );
    }
    const { context, settings } = draft;
    const asker = { slackUserId, channelId: context.channelId, what: 'save rule' };
    const why = await withTimeout(CHECK_TIMEOUT_MS, () => refusalToChangeRules(deps, slackUserId));
    if (why !== null) {
      await ack({ response_action: 'clear' });
      return deps.people.notify(asker, mayNotChangeRules(why));
    }
    const saved = await deps.store.rules.save(context.ruleId, settings, slackUserId, view.id);
    await ack({ response_action: 'clear' });
    deps.onChanged();
    if (saved === null) {
      return deps.people.notify(asker, sentence('That rule was deleted meanwhile, so nothing was saved.'));
    }
    await recordRuleChange(deps, asker, 'save rule', 1);
    const where = context.directId === null ? `<#${settings.channelId}>` : 'your direct messages';
    await deps.people.notify(asker, sentence(`Saved: ${filterWords(settings.filter)} come to ${where}.`));
  };
}

/** The arrays of a schema's output are mutable. */
function mutable({ filter, escalation, ...rest }: RuleSettings) {
  const { services, severities, integrations, labels } = filter;
  return {
    ...rest,
    filter: {
      services: [...services],
      severities: [...severities],
      integrations: [...integrations],
      labels: [...labels],
    },
    escalation: [...escalation],
  };
}
