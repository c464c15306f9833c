import type { KnownBlock } from '@slack/types';
import type { Mute } from '../../../contract/mute.ts';
import { capitalized, plural } from '../../../incident/phrase.ts';
import type { RuleFilter } from '../../../incident/rule-filter.ts';
import type { Action } from '../../actions/action.ts';
import { ANSWER_BUTTONS } from '../../actions/ids.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { code, dateToken, inline, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { by } from '../../incident/incident-words.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { planWords } from '../snooze/actions.ts';
import { SNOOZE_BUTTONS } from '../snooze/ids.ts';
import { muteValue } from '../snooze/mute-value.ts';
import { RULES_BUTTONS } from './ids.ts';
import type { Noise } from './noise.ts';
import type { EscalationStep, Rule, RuleSettings } from './rule.ts';

const NAMED = 10;
const NAMED_LABELS = 6;
/** A rule has two blocks; a message has 50. */
const MOST_RULES = 15;
const MOST_MUTES = 6;
const MOST_PLANNED = 6;
/** Characters of all buttons and their confirmations. */
const ROOM_FOR_BUTTONS = 2_000;
const ROOM_FOR_HEADING = 100;

/** "all incidents", "critical or error incidents of `payments` with `env:prod`" */
export function filterWords({ services, severities, integrations, labels }: RuleFilter): string {
  const what = severities.length === 0 ? 'all incidents' : `${severities.join(' or ')} incidents`;
  const named = services.slice(0, NAMED).map((name) => code(name, 80));
  const more = services.length > NAMED ? ` and ${services.length - NAMED} more` : '';
  const of = services.length === 0 ? '' : ` of ${named.join(', ')}${more}`;
  const from = integrations.length === 0 ? '' : ` from ${plural(integrations.length, 'integration')}`;
  return `${what}${of}${labelled(labels)}${from}`;
}

/** " with `team:payments` or `team:search` and `env:prod`"; empty: any labels. */
function labelled(labels: readonly string[]): string {
  const byName = Map.groupBy(labels.slice(0, NAMED_LABELS), (word) => word.slice(0, word.indexOf(':')));
  const each = [...byName.values()].map((words) => words.map((word) => code(word, 80)).join(' or '));
  const more = labels.length > NAMED_LABELS ? ` and ${plural(labels.length - NAMED_LABELS, 'more label')}` : '';
  return each.length === 0 ? '' : ` with ${each.join(' and ')}${more}`;
}

/** What a rule does, one sentence in each line. */
export function ruleLines({ filter, escalation, quietHours, handover }: RuleSettings): string[] {
  return [
    capitalized(filterWords(filter)),
    ...escalation.map((step, index) => `${stepWords(step, index)}.`),
    quietHours === null
      ? ''
      : `Quiet from ${quietHours.from} to ${quietHours.to} (${inline(quietHours.timeZone, 60)}), except for critical incidents.`,
    handover === null ? '' : `Handover on weekdays at ${handover.at} (${inline(handover.timeZone, 60)}).`,
  ].filter((line) => line !== '');
}

function stepWords({ afterMinutes, target: { kind, id } }: EscalationStep, index: number): string {
  const when = index === 0 ? `Not acknowledged for ${afterMinutes} min` : `${afterMinutes} min later`;
  switch (kind) {
    case 'group':
      return `${when}: mentions <!subteam^${id}>`;
    case 'channel':
      return `${when}: posts in <#${id}>`;
    case 'members':
      return `${when}: direct messages to the members of <!subteam^${id}>`;
    default:
      return kind satisfies never;
  }
}

export interface RulesReport {
  readonly rules: readonly Rule[];
  /** Noise of the last 30 days. */
  readonly noise: Noise;
  /** Current mutes, which apply to all channels; null: the service has no mutes. */
  readonly mutes: readonly Mute[] | null;
  /** Mutes that start later. */
  readonly planned: readonly Action<'mute'>[];
  /** A narrower filter; null: the channel is not noisy, or no filter is narrower. */
  readonly proposal: { readonly filter: RuleFilter; readonly noise: Noise } | null;
}

/** The rules of a channel or of direct messages, with buttons to change them. */
export function rulesMessage({ rules, noise, mutes, planned, proposal }: RulesReport): SlackMessage {
  const report =
    noise.cards === 0
      ? ''
      : `In the last 30 days: ${plural(noise.cards, 'card')}, ${noise.actedOn.toLocaleString('en')} acted on.`;
  const proposed =
    proposal === null
      ? ''
      : `A rule for ${filterWords(proposal.filter)} would have posted ${plural(proposal.noise.cards, 'card')}, with ${proposal.noise.actedOn === noise.actedOn ? 'all' : proposal.noise.actedOn} of those that were acted on.`;
  const shownMutes = (mutes ?? []).slice(0, MOST_MUTES);
  const shownPlans = planned.slice(0, MOST_PLANNED);
  const others = [...shownMutes.map(muteLine), ...shownPlans.map(plannedLine), report, proposed].join('');
  const room = LIMITS.blockTextPerMessage - ROOM_FOR_BUTTONS - ROOM_FOR_HEADING - others.length;
  const shown = fitting(rules.slice(0, MOST_RULES).map(ruleText), room);
  const heading = rules.length === 0 ? NO_RULES : `*${plural(rules.length, 'rule')} here*${cutWords(rules, shown)}`;
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(heading) },
    ...rules.slice(0, shown.length).flatMap(ruleBlocks),
    ...shownMutes.map(muteBlock),
    ...shownPlans.map(plannedBlock),
    ...[report, proposed]
      .filter((line) => line !== '')
      .map((line): KnownBlock => ({ type: 'section', text: mrkdwn(line) })),
    {
      type: 'actions',
      elements: [
        {
          type: 'button',
          text: plainText('Add a rule', LIMITS.buttonText),
          action_id: RULES_BUTTONS.ruleAdd,
          value: 'new',
        },
        ...(proposal === null
          ? []
          : [
              {
                type: 'button' as const,
                text: plainText('Use the narrower rule', LIMITS.buttonText),
                action_id: RULES_BUTTONS.ruleNarrow,
                value: 'narrow',
              },
            ]),
      ],
    },
  ];
  return messageOf(blocks);
}

const NO_RULES = `No incidents come here. \`${COMMANDS.incidents} subscribe\` opens the form.`;

function cutWords(rules: readonly Rule[], shown: readonly string[]): string {
  return shown.length === rules.length ? '' : `. The first ${shown.length} are below.`;
}

function ruleText(rule: Rule): string {
  return [...ruleLines(rule), madeBy(rule)].join('\n');
}

function ruleBlocks(rule: Rule): KnownBlock[] {
  const what = filterWords(rule.filter);
  return [
    { type: 'section', text: mrkdwn(ruleText(rule)) },
    {
      type: 'actions',
      elements: [
        {
          type: 'button',
          text: plainText('Edit', LIMITS.buttonText),
          action_id: RULES_BUTTONS.ruleEdit,
          value: rule.id,
          accessibility_label: plainText(`Edit the rule for ${what}`, LIMITS.accessibilityLabel).text,
        },
        {
          type: 'button',
          text: plainText('Delete', LIMITS.buttonText),
          action_id: RULES_BUTTONS.ruleDelete,
          value: rule.id,
          style: 'danger',
          accessibility_label: plainText(`Delete the rule for ${what}`, LIMITS.accessibilityLabel).text,
          confirm: {
            title: plainText('Delete this rule?', 100),
            text: plainText('No new cards come from it. Cards that are here stay and are kept up to date.', 300),
            confirm: plainText('Delete', 30),
            deny: plainText('Keep', 30),
            style: 'danger',
          },
        },
      ],
    },
  ];
}

/** "Muted until 12:00: service `payments` by ana: planned work" */
function muteLine({ target, value, starts_at: startsAt, until, created_by: user, reason }: Mute): string {
  const why = (reason ?? '').trim();
  const from = startsAt ? ` from ${dateToken(startsAt)}` : '';
  return `🔕 Muted${from} until ${dateToken(until)}: ${target} ${code(value, 80)}${by(user)}${why === '' ? '' : `: ${inline(why, 200)}`}`;
}

/** "Planned: service `payments` from Saturday 22:00 until Sunday 2:00, every week, by ana: upgrade" */
function plannedLine(action: Action<'mute'>): string {
  return `🗓️ Planned${by(action.userName)}: ${planWords(action)}`;
}

function plannedBlock(action: Action<'mute'>): KnownBlock {
  return withButton(plannedLine(action), 'Cancel', {
    actionId: ANSWER_BUTTONS.cancelPending,
    value: action.id,
    spoken: `Cancel the planned mute of ${action.target} ${action.value}`,
  });
}

function muteBlock(mute: Mute): KnownBlock {
  return withButton(muteLine(mute), 'End', {
    actionId: SNOOZE_BUTTONS.muteEnd,
    value: muteValue(mute),
    spoken: `End the mute of ${mute.target} ${mute.value}`,
  });
}

function withButton(
  line: string,
  label: string,
  { actionId, value, spoken }: { readonly actionId: string; readonly value: string; readonly spoken: string },
): KnownBlock {
  return {
    type: 'section',
    text: mrkdwn(line),
    accessory: {
      type: 'button',
      text: plainText(label, LIMITS.buttonText),
      action_id: actionId,
      value,
      accessibility_label: plainText(spoken, LIMITS.accessibilityLabel).text,
    },
  };
}

function madeBy({ createdBy }: Rule): string {
  return createdBy === null ? 'From the setting `INCIDENTS_CHANNEL`' : `By <@${createdBy}>`;
}
