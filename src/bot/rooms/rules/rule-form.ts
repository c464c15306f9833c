import type { ConversationsSelect, InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { INCIDENT_LABELS, Severity } from '../../../contract/resources.ts';
import { field, formFrame } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { NO_LABELS } from '../../incident/further-words.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import { RULES_FORMS, RULES_OPTIONS } from './ids.ts';
import { labelOption } from './label-options.ts';
import type { EscalationStep, RuleSettings } from './rule.ts';
import { serviceOption } from './service-options.ts';

/** The fields of the form by `block_id`. Each element has the same `action_id`. */
export const RULE_FIELDS = {
  where: 'rule_where',
  services: RULES_OPTIONS.ruleServices,
  labels: RULES_OPTIONS.ruleLabels,
  severities: 'rule_severities',
  integrations: 'rule_integrations',
  firstGroup: 'rule_first_group',
  firstMinutes: 'rule_first_minutes',
  nextGroup: 'rule_next_group',
  nextChannel: 'rule_next_channel',
  nextMinutes: 'rule_next_minutes',
  members: 'rule_members',
  quietFrom: 'rule_quiet_from',
  quietTo: 'rule_quiet_to',
  handover: 'rule_handover',
} as const;

const MOST_OPTIONS = 100;
/** Services of one rule. */
export const MOST_SERVICES = 50;
/** Labels of one rule. */
export const MOST_LABELS = 20;
const MOST_MINUTES = 24 * 60;
const DEFAULT_MINUTES = 15;

/** What the form must remember. */
export const RuleContext = z.object({
  /** null: a new rule. */
  ruleId: z.string().nullable(),
  /** Where the person asked; answers go there. */
  channelId: z.string(),
  /** The rule is for the direct messages of the person, which are this conversation; null: for a channel. */
  directId: z.string().nullable(),
  timeZone: z.string(),
});
export type RuleContext = z.infer<typeof RuleContext>;

export interface Choice {
  readonly id: string;
  readonly name: string;
}

export interface RuleForm {
  readonly context: RuleContext;
  readonly settings: RuleSettings;
  readonly groups: readonly Choice[];
  readonly integrations: readonly Choice[];
  /** Whether the service reports labels; null: not known. */
  readonly hasLabels: boolean | null;
}

export function ruleForm({ context, settings, groups, integrations, hasLabels }: RuleForm): ModalView {
  const { filter, escalation, quietHours, handover } = settings;
  const [first, next] = escalation.filter(({ target }) => target.kind !== 'members');
  const members = escalation.find(({ target }) => target.kind === 'members');
  const groupOptions = groups.slice(0, MOST_OPTIONS).map(toOption);
  const chosen = (step: EscalationStep | undefined, kind: 'group' | 'channel') =>
    step?.target.kind === kind ? step.target.id : undefined;
  const hasGroups = groupOptions.length > 0;
  const notifiedChannel = chosen(next, 'channel') ?? chosen(first, 'channel');
  const blocks: KnownBlock[] = [
    ...(context.directId === null
      ? [whereField(settings.channelId)]
      : [note('These incidents come to your direct messages.')]),
    servicesField(filter.services),
    labelsField(filter.labels, hasLabels),
    multiSelect(
      RULE_FIELDS.severities,
      'Severities',
      Severity.options.map((id) => toOption({ id, name: id })),
      filter.severities,
      'Empty: all severities.',
    ),
    ...(integrations.length === 0
      ? []
      : [
          multiSelect(
            RULE_FIELDS.integrations,
            'Integrations',
            integrations.slice(0, MOST_OPTIONS).map(toOption),
            filter.integrations,
            'Empty: all integrations.',
          ),
        ]),
    { type: 'divider' },
    ...(!hasGroups
      ? [note('This workspace has no user groups, so nobody can be mentioned.')]
      : [
          select(RULE_FIELDS.firstGroup, 'If nobody acknowledges, mention', groupOptions, chosen(first, 'group')),
          minutesField(RULE_FIELDS.firstMinutes, 'After minutes', first?.afterMinutes),
          select(RULE_FIELDS.nextGroup, 'Then mention', groupOptions, chosen(next, 'group')),
        ]),
    channelField(hasGroups ? 'Or then post in' : 'If nobody acknowledges, post in', notifiedChannel),
    minutesField(
      RULE_FIELDS.nextMinutes,
      hasGroups ? 'After more minutes' : 'After minutes',
      next?.afterMinutes ?? members?.afterMinutes,
    ),
    ...(!hasGroups
      ? []
      : [select(RULE_FIELDS.members, 'At last, direct messages to the members of', groupOptions, members?.target.id)]),
    { type: 'divider' },
    timeField(RULE_FIELDS.quietFrom, 'Quiet hours from', quietHours?.from),
    timeField(
      RULE_FIELDS.quietTo,
      'Quiet hours to',
      quietHours?.to,
      `In the time zone ${context.timeZone}. Critical incidents are never held back.`,
    ),
    ...(context.directId === null
      ? [
          timeField(
            RULE_FIELDS.handover,
            'Handover on weekdays at',
            handover?.at,
            'Posts a summary of the last day here. Empty: none.',
          ),
        ]
      : []),
  ];
  return {
    ...formFrame(RULES_FORMS.rule, context, {
      title: context.ruleId === null ? 'New rule' : 'Edit the rule',
      submit: 'Check',
    }),
    blocks,
  };
}

function toOption({ id, name }: Choice): PlainTextOption {
  return { text: plainText(cut(name, 75), 75), value: id };
}

function note(text: string): KnownBlock {
  return { type: 'context', elements: [mrkdwn(text)] };
}

function input(id: string, label: string, element: InputBlock['element'], hint = ''): InputBlock {
  return field(id, label, element, { hint, isOptional: true });
}

function channelsOnly(): NonNullable<ConversationsSelect['filter']> {
  return { include: ['public', 'private'], exclude_bot_users: true };
}

function whereField(channelId: ChannelId): InputBlock {
  const element = {
    type: 'conversations_select',
    action_id: RULE_FIELDS.where,
    filter: channelsOnly(),
    initial_conversation: channelId,
  } as const;
  return field(RULE_FIELDS.where, 'Where', element);
}

function channelField(label: string, channelId: ChannelId | undefined): InputBlock {
  const element = {
    type: 'conversations_select',
    action_id: RULE_FIELDS.nextChannel,
    filter: channelsOnly(),
    ...(channelId !== undefined && { initial_conversation: channelId }),
  } as const;
  return input(RULE_FIELDS.nextChannel, label, element);
}

/** Known services are offered while somebody types. Says how many of a long rule do not fit. */
function servicesField(services: readonly string[]): InputBlock {
  const named = services.filter((name) => name.trim() !== '');
  const shown = named.slice(0, MOST_SERVICES).map(serviceOption);
  const leftOut =
    shown.length === named.length
      ? ''
      : ` Only ${shown.length} of ${named.length} services fit here; saving drops the others.`;
  const element = {
    type: 'multi_external_select',
    action_id: RULES_OPTIONS.ruleServices,
    min_query_length: 0,
    max_selected_items: MOST_SERVICES,
    placeholder: plainText('Type a name', LIMITS.placeholder),
    ...(shown.length > 0 && { initial_options: shown }),
  } as const;
  const hint = 'Empty: all services. “cart-*” is every name that begins with “cart-”.';
  return input(RULE_FIELDS.services, 'Services', element, `${hint}${leftOut}`);
}

/** Labels are offered like services. */
function labelsField(labels: readonly string[], hasLabels: boolean | null): InputBlock {
  const shown = labels.slice(0, MOST_LABELS).map(labelOption);
  const element = {
    type: 'multi_external_select',
    action_id: RULES_OPTIONS.ruleLabels,
    min_query_length: 0,
    max_selected_items: MOST_LABELS,
    placeholder: plainText('team:payments', LIMITS.placeholder),
    ...(shown.length > 0 && { initial_options: shown }),
  } as const;
  const hint =
    hasLabels === false
      ? NO_LABELS
      : `${INCIDENT_LABELS.join(', ')}. Empty: all. Of one label any value is enough; several labels must all match.`;
  return input(RULE_FIELDS.labels, 'Labels', element, hint);
}

function minutesField(id: string, label: string, minutes: number = DEFAULT_MINUTES): InputBlock {
  const element = {
    type: 'number_input',
    action_id: id,
    is_decimal_allowed: false,
    min_value: '1',
    max_value: String(MOST_MINUTES),
    initial_value: String(minutes),
  } as const;
  return input(id, label, element);
}

function timeField(id: string, label: string, time: string | undefined, hint = ''): InputBlock {
  return input(
    id,
    label,
    { type: 'timepicker', action_id: id, ...(time !== undefined && { initial_time: time }) },
    hint,
  );
}

function select(id: string, label: string, options: PlainTextOption[], chosen: string | undefined): InputBlock {
  const initial = options.find(({ value }) => value === chosen);
  return input(id, label, {
    type: 'static_select',
    action_id: id,
    options,
    ...(initial && { initial_option: initial }),
  });
}

function multiSelect(
  id: string,
  label: string,
  options: PlainTextOption[],
  chosen: readonly string[],
  hint: string,
): InputBlock {
  const initial = options.filter(({ value }) => chosen.includes(value ?? ''));
  const element = {
    type: 'multi_static_select',
    action_id: id,
    options,
    ...(initial.length > 0 && { initial_options: initial }),
  } as const;
  return input(id, label, element, hint);
}
