import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Action } from '../../actions/action.ts';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { alreadyClosed } from '../../actions/outcome-answers.ts';
import { answer } from '../../blocks/answer.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { code, cut, dateToken, inline, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { isClosed, isSnoozed } from '../../incident/incident.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { SNOOZE_BUTTONS } from './ids.ts';
import { muteValue } from './mute-value.ts';

/** Why something is muted; null: no reason was given. */
const REASON = z.string().nullable();
/** What a mute of a service or an integration is for. */
const TARGET = z.enum(['service', 'integration']);

const DATA = {
  /** Mutes one incident for a while. */
  snooze: z.object({ until: z.coerce.date(), reason: REASON }),
  unsnooze: z.object({}),
  /** `startsAt`: null: at once. `every`: how often it comes back; null: once. `first`: see `PlannedMute`. */
  mute: z.object({
    target: TARGET,
    value: z.string(),
    until: z.coerce.date(),
    reason: REASON,
    startsAt: z.coerce.date().nullable().default(null),
    every: z.enum(['day', 'week']).nullable().default(null),
    timeZone: z.string().default('UTC'),
    first: z.object({ startsAt: z.coerce.date(), until: z.coerce.date() }).nullable().default(null),
  }),
  /** `target`: as the service says, which may know more than this version. */
  unmute: z.object({ muteId: z.string(), target: z.string(), value: z.string() }),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    snooze: { on: 'incident'; data: z.infer<typeof DATA.snooze> };
    unsnooze: { on: 'incident'; data: object };
    mute: { on: 'mute'; data: z.infer<typeof DATA.mute> };
    unmute: { on: 'mute'; data: z.infer<typeof DATA.unmute> };
  }
}

export const SNOOZE_ACTIONS: Pick<ActionDefinitions, 'snooze' | 'unsnooze' | 'mute' | 'unmute'> = {
  snooze: {
    data: DATA.snooze,
    undoneBy: 'unsnooze',
    isThere: isClosed,
    name: 'snooze',
    savedAs: 'snooze',
    undone: null,
    done: ({ until, reason }, incident) =>
      answer(
        `😴 You snoozed ${plainHeadline(incident)} until ${dateToken(until.toISOString())}${reason === null ? '' : ` (${inline(reason, 200)})`}. Until then there are no reminders and no new cards; its card stays up to date.`,
      ),
    already: (_action, incident) => alreadyClosed(incident, null),
  },
  unsnooze: {
    data: DATA.unsnooze,
    undoneBy: null,
    isThere: (incident) => !isSnoozed(incident),
    name: 'end of a snooze',
    savedAs: 'end of a snooze',
    undone: 'snoozed',
    done: (_action, incident) => answer(`⏰ You ended the snooze of ${plainHeadline(incident)}. Reminders go on.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is not snoozed, so nothing was changed.`),
  },
  mute: {
    data: DATA.mute,
    undoneBy: 'unmute',
    isThere: () => false,
    name: 'mute',
    savedAs: 'mute',
    undone: null,
    done: (action, _incident, outcome) =>
      withMuteEnd(mutedAnswer(action), action, 'muteId' in outcome ? outcome.muteId : undefined),
    already: ({ target, value }) =>
      answer(`The ${target} ${code(value, 80)} is already muted for as long or longer, so nothing was changed.`),
    subject: ({ target, value }) => ({ words: `${target} ${code(value, 80)}`, logged: `${target} ${value}` }),
    waits: (action) =>
      action.startsAt === null
        ? null
        : `🗓️ Planned: ${planWords(action)}. Until then nothing changes; \`${COMMANDS.incidents} rules\` shows it.`,
  },
  unmute: {
    data: DATA.unmute,
    undoneBy: null,
    isThere: () => false,
    name: 'end of a mute',
    savedAs: 'end of a mute',
    undone: null,
    done: () => answer('The mute has ended. Its open incidents get their cards now.'),
    already: () => answer('That mute has ended already, so nothing was changed.'),
    subject: ({ target, value }) => ({ words: `${target} ${code(value, 80)}`, logged: `${target} ${value}` }),
  },
};

const OFTEN = { day: ', every day', week: ', every week' } as const;

/** "service `payments` from Saturday 22:00 until Sunday 2:00, every week: upgrade" */
export function planWords({ target, value, startsAt, until, every, reason }: Action<'mute'>): string {
  const from = startsAt === null ? '' : ` from ${dateToken(startsAt.toISOString())}`;
  const why = reason === null ? '' : `: ${inline(reason, 200)}`;
  return `${target} ${code(value, 80)}${from} until ${dateToken(until.toISOString())}${every === null ? '' : OFTEN[every]}${why}`;
}

function mutedAnswer({ target, value, until, reason }: Action<'mute'>): SlackMessage {
  return answer(
    `🔕 Muted ${target} ${code(value, 80)} until ${dateToken(until.toISOString())}${reason === null ? '' : ` (${inline(reason, 200)})`}: its incidents are listed, without new cards and reminders. \`${COMMANDS.incidents} rules\` ends it.`,
  );
}

/** Adds an Undo button that ends the mute early, if its id is known. */
function withMuteEnd(message: SlackMessage, action: Action<'mute'>, muteId: string | undefined): SlackMessage {
  if (muteId === undefined) {
    return message;
  }
  const undo: Button = {
    type: 'button',
    text: plainText('Undo', LIMITS.buttonText),
    action_id: SNOOZE_BUTTONS.muteEnd,
    value: muteValue({ ...action, id: muteId }),
    accessibility_label: cut(`Undo: end the mute of ${action.target} ${action.value}`, LIMITS.accessibilityLabel),
  };
  return messageOf([...message.blocks, { type: 'actions', elements: [undo] }]);
}
