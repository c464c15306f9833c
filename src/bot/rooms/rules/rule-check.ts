import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { Severity } from '../../../contract/resources.ts';
import { plural } from '../../../incident/phrase.ts';
import { readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { NO_LABELS } from '../../incident/further-words.ts';
import { STORM_RULES } from '../storm/storm.ts';
import { RULES_FORMS } from './ids.ts';
import type { RuleSettings } from './rule.ts';
import { RuleContext } from './rule-form.ts';
import { ruleLines } from './rule-words.ts';

const Time = z.string().regex(/^\d\d:\d\d$/);
const Settings = z.object({
  channelId: z.string(),
  filter: z.object({
    services: z.array(z.string()),
    severities: z.array(Severity),
    integrations: z.array(z.string()),
    labels: z.array(z.string()),
  }),
  escalation: z.array(
    z.object({
      afterMinutes: z.number(),
      target: z.object({ kind: z.enum(['group', 'channel', 'members']), id: z.string() }),
    }),
  ),
  quietHours: z.object({ from: Time, to: Time, timeZone: z.string() }).nullable(),
  handover: z.object({ at: Time, timeZone: z.string() }).nullable(),
}) satisfies z.ZodType<RuleSettings>;

const Draft = z.object({ context: RuleContext, settings: Settings });
export type RuleDraft = z.infer<typeof Draft>;

/** What the rule would have posted in the last seven days. */
export type DryRun =
  | 'counting'
  /** The service does not answer. */
  | 'unknown'
  | {
      readonly cards: number;
      /** null: the service does not report acknowledgements. */
      readonly actedOn: number | null;
      /** The rule has labels, but the service does not report them, so that they match every incident. */
      readonly lacksLabels: boolean;
      /** false: there were too many incidents to read all. */
      readonly isWhole: boolean;
    };

/**
 * Shows what a rule does before it is saved.
 *
 * @param cardsNow number of open incidents that get a card as soon as the rule is saved
 */
export function ruleCheck(draft: RuleDraft, cardsNow: number, dryRun: DryRun, externalId: string): ModalView {
  const { settings, context } = draft;
  const where = context.directId === null ? `<#${settings.channelId}>` : 'your direct messages';
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn([`In ${where}:`, ...ruleLines(settings)].join('\n')) },
    { type: 'section', text: mrkdwn(cardsNowWords(cardsNow)) },
    { type: 'section', text: mrkdwn(dryRunWords(dryRun)) },
  ];
  return {
    type: 'modal',
    callback_id: RULES_FORMS.ruleCheck,
    external_id: externalId,
    private_metadata: JSON.stringify(draft),
    title: plainText('Save this rule?', LIMITS.modalTitle),
    submit: plainText('Save', LIMITS.modalButton),
    close: plainText('Back', LIMITS.modalButton),
    blocks,
  };
}

export function isTooLong(draft: RuleDraft): boolean {
  return JSON.stringify(draft).length > LIMITS.privateMetadata;
}

function cardsNowWords(cards: number): string {
  if (cards === 0) {
    return 'It posts *nothing now*: no open incident that matches is without a card here.';
  }
  return cards > STORM_RULES.incidents
    ? `${plural(cards, 'open incident')} match. They come as *one message now*, because they are many.`
    : `It posts *${plural(cards, 'card')} now*, for incidents that are open.`;
}

function dryRunWords(dryRun: DryRun): string {
  if (dryRun === 'counting') {
    return '⏳ Counting what this would have posted in the last 7 days…';
  }
  if (dryRun === 'unknown') {
    return 'The incident service does not answer, so what this would have posted is not known. You can save it anyway.';
  }
  const { cards, actedOn, isWhole, lacksLabels } = dryRun;
  const acted = actedOn === null || cards === 0 ? '' : `, ${actedOn.toLocaleString('en')} of them acted on`;
  return `In the last 7 days this would have posted ${isWhole ? '' : 'at least '}*${plural(cards, 'card')}* here${acted}.${lacksLabels ? ` ⚠️ ${NO_LABELS}` : ''}`;
}

export function parseRuleDraft(privateMetadata: string): RuleDraft | null {
  return readStored(Draft, privateMetadata);
}

export function parseRuleContext(privateMetadata: string): RuleContext | null {
  return readStored(RuleContext, privateMetadata);
}
