import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { Severity } from '../../../contract/resources.ts';
import { field, formFrame, option, readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, plainText } from '../../blocks/mrkdwn.ts';
import { isGroup } from '../../blocks/people-words.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { UserGroup } from '../../slack/groups.ts';
import type { ChannelId, SlackUserId } from '../../slack/identifiers.ts';
import type { KnownPerson } from '../../slack/person.ts';
import { STEER_FIELDS, STEER_FORMS } from './ids.ts';
import { type AllSetByHand, setByHand } from './set-by-hand.ts';

/** Value of the option that restores what the service finds. `isOption` excludes services with this name. */
const AS_FOUND = '=';
const MOST_ROOTS = 90;
const MOST_GROUPS = 100;
const KEPT_LENGTH = 255;

const Values = z.object({
  title: z.string().nullable(),
  severity: Severity.nullable(),
  root_service: z.string().nullable(),
  lead: z.string().nullable(),
  communications: z.string().nullable(),
});

/**
 * The modal's `private_metadata`: what was set when it opened, as far as the form can show it, so that what it cannot show is
 * left alone; and the ids in Slack of the people who are named there.
 */
const Context = z.object({
  incidentId: z.string().min(1),
  channelId: z.string().min(1).max(64).nullable(),
  before: Values,
  leadId: z.string().nullable(),
  communicationsId: z.string().nullable(),
});
type Context = z.infer<typeof Context>;

interface SteerForm {
  readonly incident: Snapshot;
  readonly people: readonly KnownPerson[];
  /** User groups that an incident can be assigned to; empty: Slack has none, or did not list them in time. */
  readonly groups: readonly Pick<UserGroup, 'id' | 'name'>[];
  readonly channelId: ChannelId | null;
}

/** The form "Change incident". It starts with what is shown now. */
export function steerModal({ incident, people, groups, channelId }: SteerForm): ModalView {
  const before = setByHand(incident);
  const root = before.root_service ?? '';
  const shownGroups = groups.slice(0, MOST_GROUPS);
  const idOf = (name: string | null) => {
    const id = people.find((person) => person.name === name)?.slackUserId ?? null;
    const group = shownGroups.find((each) => each.name === name)?.id ?? null;
    return group ?? (id !== null && isGroup(id) ? null : id);
  };
  const context: Context = {
    incidentId: incident.id,
    channelId,
    before: Values.parse(kept({ ...before, root_service: isOption(root) ? root : null })),
    leadId: idOf(before.lead),
    communicationsId: idOf(before.communications),
  };
  const { detected = {} } = incident;
  const found = {
    severity: detected.severity ?? incident.severity,
    root: detected.root_service ?? incident.root_service,
  };
  const roots = [...new Set([incident.root_service, ...(incident.possible_roots ?? []), ...(incident.services ?? [])])];
  return {
    ...formFrame(STEER_FORMS.steer, context, { title: 'Change incident', submit: 'Save' }),
    blocks: [
      { type: 'context', elements: [plainText(plainHeadline(incident), LIMITS.contextText)] },
      field(
        STEER_FIELDS.title,
        'Title',
        {
          type: 'plain_text_input',
          action_id: STEER_FIELDS.title,
          max_length: REQUEST_LIMITS.title,
          ...(before.title !== null && { initial_value: cut(before.title, REQUEST_LIMITS.title) }),
        },
        { isOptional: true, hint: 'Empty: the title that comes from the evidence.' },
      ),
      choice(
        STEER_FIELDS.severity,
        'Severity',
        `As found: ${found.severity ?? 'none'}`,
        Severity.options,
        before.severity,
      ),
      choice(
        STEER_FIELDS.root,
        'Root service',
        `As found: ${found.root}`,
        roots.slice(0, MOST_ROOTS),
        before.root_service,
      ),
      person(STEER_FIELDS.lead, 'Leads', context.leadId),
      ...group(STEER_FIELDS.leadGroup, 'Or a group leads', shownGroups, context.leadId),
      person(STEER_FIELDS.communications, 'Communicates', context.communicationsId),
      ...group(STEER_FIELDS.communicationsGroup, 'Or a group communicates', shownGroups, context.communicationsId),
    ],
  };
}

function choice(
  id: string,
  label: string,
  asFound: string,
  values: readonly string[],
  chosen: string | null,
): InputBlock {
  const first = option(asFound, AS_FOUND);
  const options = [first, ...values.filter(isOption).map((value) => option(value, value))];
  const initial = options.find(({ value }) => value === chosen) ?? first;
  const element = { type: 'static_select', action_id: id, options, initial_option: initial } as const;
  return field(id, label, element, { isOptional: true });
}

/** Truncates the values, because Slack limits `private_metadata` to 3,000 characters. */
function kept(values: AllSetByHand) {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, value?.slice(0, KEPT_LENGTH).toWellFormed() ?? null]),
  );
}

/** Whether the value fits into an option of Slack and differs from `AS_FOUND`. */
function isOption(value: string): boolean {
  return value.trim() !== '' && value !== AS_FOUND && value.length <= LIMITS.optionValue;
}

function person(id: string, label: string, slackUserId: SlackUserId | null): InputBlock {
  const element = {
    type: 'multi_users_select',
    action_id: id,
    max_selected_items: 1,
    placeholder: plainText('Nobody', LIMITS.placeholder),
    ...(slackUserId !== null && !isGroup(slackUserId) && { initial_users: [slackUserId] }),
  } as const;
  return field(id, label, element, { isOptional: true });
}

/** A list of which at most one is chosen, because Slack lets nobody clear a single choice. */
function group(id: string, label: string, groups: SteerForm['groups'], chosen: string | null): InputBlock[] {
  const options = groups.map((each) => option(each.name, each.id));
  const initial = options.filter(({ value }) => value === chosen);
  const element = {
    type: 'multi_static_select',
    action_id: id,
    max_selected_items: 1,
    placeholder: plainText('No group', LIMITS.placeholder),
    options,
    ...(initial.length > 0 && { initial_options: initial }),
  } as const;
  return options.length === 0 ? [] : [field(id, label, element, { isOptional: true })];
}

export function parseSteerContext(privateMetadata: string): Context | null {
  return readStored(Context, privateMetadata);
}

const Option = z.object({ selected_option: z.object({ value: z.string() }).nullish() });
const Users = z.object({ selected_users: z.array(z.string()).nullish() });
const Groups = z.object({ selected_options: z.array(z.object({ value: z.string() })).nullish() });
const State = z.object({
  [STEER_FIELDS.title]: z.object({ [STEER_FIELDS.title]: z.object({ value: z.string().nullish() }) }),
  [STEER_FIELDS.severity]: z.object({ [STEER_FIELDS.severity]: Option }),
  [STEER_FIELDS.root]: z.object({ [STEER_FIELDS.root]: Option }),
  [STEER_FIELDS.lead]: z.object({ [STEER_FIELDS.lead]: Users }),
  [STEER_FIELDS.leadGroup]: z.object({ [STEER_FIELDS.leadGroup]: Groups }).optional(),
  [STEER_FIELDS.communications]: z.object({ [STEER_FIELDS.communications]: Users }),
  [STEER_FIELDS.communicationsGroup]: z.object({ [STEER_FIELDS.communicationsGroup]: Groups }).optional(),
});

export interface ParsedSteerForm extends AllSetByHand {
  /** The first field in which both a person and a group are chosen. */
  readonly twice: string | null;
}

/** @returns what the form asks for, people and groups by their id in Slack; null: it is out of date */
export function parseSteerForm(stateValues: unknown): ParsedSteerForm | null {
  const state = State.safeParse(stateValues).data;
  if (state === undefined) {
    return null;
  }
  const chosen = (found: z.infer<typeof Option>) => {
    const value = found.selected_option?.value ?? AS_FOUND;
    return value === AS_FOUND ? null : value;
  };
  const lead = state[STEER_FIELDS.lead][STEER_FIELDS.lead].selected_users?.[0];
  const leadGroup = state[STEER_FIELDS.leadGroup]?.[STEER_FIELDS.leadGroup].selected_options?.[0]?.value;
  const communications = state[STEER_FIELDS.communications][STEER_FIELDS.communications].selected_users?.[0];
  const communicationsGroup =
    state[STEER_FIELDS.communicationsGroup]?.[STEER_FIELDS.communicationsGroup].selected_options?.[0]?.value;
  const twice = [
    ...(lead && leadGroup ? [STEER_FIELDS.leadGroup] : []),
    ...(communications && communicationsGroup ? [STEER_FIELDS.communicationsGroup] : []),
  ];
  const title = (state[STEER_FIELDS.title][STEER_FIELDS.title].value ?? '').trim();
  return {
    title: title === '' ? null : title,
    severity: Severity.nullable().catch(null).parse(chosen(state[STEER_FIELDS.severity][STEER_FIELDS.severity])),
    root_service: chosen(state[STEER_FIELDS.root][STEER_FIELDS.root]),
    lead: lead ?? leadGroup ?? null,
    communications: communications ?? communicationsGroup ?? null,
    twice: twice[0] ?? null,
  };
}
