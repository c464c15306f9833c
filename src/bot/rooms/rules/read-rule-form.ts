import { z } from 'zod';
import { Severity } from '../../../contract/resources.ts';
import { readLabelWord } from '../../../incident/label-word.ts';
import type { EscalationStep, RuleSettings } from './rule.ts';
import { MOST_SERVICES, RULE_FIELDS, type RuleContext } from './rule-form.ts';

const Choice = z.object({ value: z.string() });
const State = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      value: z.string().nullish(),
      selected_conversation: z.string().nullish(),
      selected_time: z.string().nullish(),
      selected_option: Choice.nullish(),
      selected_options: z.array(Choice).nullish(),
    }),
  ),
);

/** The settings, or what is wrong by `block_id`. */
export type ReadRule =
  | { readonly kind: 'read'; readonly settings: RuleSettings }
  | { readonly kind: 'wrong'; readonly errors: Readonly<Record<string, string>> };

/** Reads the submitted form. @returns null: it is not this form */
export function readRuleForm(stateValues: unknown, context: RuleContext): ReadRule | null {
  const state = State.safeParse(stateValues);
  if (!state.success) {
    return null;
  }
  const field = (name: keyof typeof RULE_FIELDS) => Object.values(state.data[RULE_FIELDS[name]] ?? {})[0];
  const chosen = (name: keyof typeof RULE_FIELDS) => field(name)?.selected_option?.value ?? null;
  const all = (name: keyof typeof RULE_FIELDS) => (field(name)?.selected_options ?? []).map(({ value }) => value);
  const minutes = (name: keyof typeof RULE_FIELDS) => {
    const typed = field(name)?.value ?? '';
    return typed === '' ? null : Number(typed);
  };
  const errors: Record<string, string> = {};

  const services = all('services')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (services.length > MOST_SERVICES) {
    errors[RULE_FIELDS.services] = `At most ${MOST_SERVICES} services; leave it empty for all.`;
  }
  const escalation: EscalationStep[] = [];
  const addStep = (target: EscalationStep['target'] | null, name: 'firstMinutes' | 'nextMinutes') => {
    const afterMinutes = minutes(name);
    if (target !== null && afterMinutes === null) {
      errors[RULE_FIELDS[name]] = 'Say after how many minutes.';
    } else if (target !== null && afterMinutes !== null) {
      escalation.push({ afterMinutes, target });
    }
  };
  const [firstGroup, nextGroup, members] = [chosen('firstGroup'), chosen('nextGroup'), chosen('members')];
  const nextChannel = field('nextChannel')?.selected_conversation ?? null;
  if (nextGroup !== null && nextChannel !== null) {
    errors[RULE_FIELDS.nextChannel] = 'Choose a user group or a channel, not both.';
  }
  addStep(firstGroup === null ? null : { kind: 'group', id: firstGroup }, 'firstMinutes');
  addStep(nextGroup === null ? null : { kind: 'group', id: nextGroup }, 'nextMinutes');
  addStep(nextChannel === null ? null : { kind: 'channel', id: nextChannel }, 'nextMinutes');
  addStep(members === null ? null : { kind: 'members', id: members }, 'nextMinutes');

  const [from, to] = [field('quietFrom')?.selected_time ?? null, field('quietTo')?.selected_time ?? null];
  if ((from === null) !== (to === null)) {
    errors[from === null ? RULE_FIELDS.quietFrom : RULE_FIELDS.quietTo] = 'Quiet hours need both times.';
  } else if (from !== null && from === to) {
    errors[RULE_FIELDS.quietTo] = 'Quiet hours cannot begin and end at the same time.';
  }
  const channelId = context.directId ?? field('where')?.selected_conversation ?? null;
  if (channelId === null) {
    errors[RULE_FIELDS.where] = 'Choose a channel.';
  }
  if (Object.keys(errors).length > 0 || channelId === null) {
    return { kind: 'wrong', errors };
  }
  const { timeZone } = context;
  const handover = field('handover')?.selected_time ?? null;
  return {
    kind: 'read',
    settings: {
      channelId,
      filter: {
        services: [...new Set(services)],
        severities: z.array(Severity).catch([]).parse(all('severities')),
        integrations: all('integrations'),
        labels: [...new Set(all('labels').flatMap((word) => readLabelWord(word) ?? []))],
      },
      escalation,
      quietHours: from === null || to === null ? null : { from, to, timeZone },
      handover: handover === null ? null : { at: handover, timeZone },
    },
  };
}
