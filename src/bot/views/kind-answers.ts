import type { Incident } from '../../contract/resources.ts';
import type { Action, ActionKind, MuteActionKind, SetByHand } from '../domain/action.ts';
import { COMMANDS } from '../domain/ids.ts';
import { isFailing } from '../domain/incident.ts';
import { isSameText } from '../domain/same-text.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { GOES_ON } from './activity-words.ts';
import { AS_TYPED, answer } from './answers.ts';
import { stateSentence } from './incident-lines.ts';
import { acknowledgedWords, at, plainHeadline, restWords } from './incident-words.ts';
import { code, dateToken, inline, quotePart } from './mrkdwn.ts';
import { byName } from './people-words.ts';

/** The incident of an action; null for a mute of a service or an integration. */
type IncidentOf<Kind extends ActionKind> = Kind extends MuteActionKind ? null : Incident;

/** The words and messages about actions of one kind. */
interface KindAnswers<Kind extends ActionKind> {
  /** Name of the action within a sentence: "Your … is cancelled". */
  readonly name: string;
  /** Name of what is saved while the action is pending: "Your … is saved". */
  readonly savedAs: string;
  /** When a pending action is sent, after "I'll send it"; absent: as soon as the service accepts it. */
  readonly savedUntil?: string;
  /** State that the incident still shows if the service accepted the action without effect; null: not checked. */
  readonly undone: string | null;
  /** Name of the action that this kind undoes; absent: it undoes nothing. */
  readonly takesBack?: string;
  done(action: Action<Kind>, incident: IncidentOf<Kind>, isInThread: boolean): SlackMessage;
  already(action: Action<Kind>, incident: IncidentOf<Kind>): SlackMessage;
  /** Text that the person typed and that must not be lost; null: none. */
  typed(action: Action<Kind>): string | null;
}

const nothingTyped = () => null;

/** A kind that is missing here does not compile. */
export const KIND_ANSWERS: { readonly [Kind in ActionKind]: KindAnswers<Kind> } = {
  acknowledge: {
    name: 'acknowledgement',
    savedAs: 'acknowledgement',
    undone: 'not acknowledged',
    done: ({ userName }, incident) => {
      const user = incident.acknowledged_by ?? userName ?? '';
      return answer(
        isSameText(user, userName ?? user)
          ? `👍 You acknowledged ${plainHeadline(incident)}${at(incident.acknowledged_at)}.`
          : `👍 The incident service accepted your acknowledgement of ${plainHeadline(incident)} and shows: ${acknowledgedWords(incident)}.`,
      );
    },
    already: (_action, incident) =>
      incident.status === 'closed'
        ? alreadyClosed(incident, null)
        : answer(
            `${plainHeadline(incident)} is already acknowledged, so nothing was changed. ${acknowledgedWords(incident)}.`,
          ),
    typed: nothingTyped,
  },
  resolve: {
    name: 'resolution',
    savedAs: 'note',
    undone: 'open',
    done: ({ note, isNoProblem }, incident) => {
      const warning =
        (isFailing(incident) ? `\n⚠️ Still failing: ${GOES_ON}` : '') + (isNoProblem ? taughtWords(incident) : '');
      return isSameText(incident.resolution_note ?? '', note)
        ? answer(`✅ You closed ${plainHeadline(incident)}${at(incident.closed_at)}. Your note was added.${warning}`)
        : answer(
            `✅ The incident service accepted your resolution of ${plainHeadline(incident)} and shows: ${closedWords(incident)}${warning}`,
            note,
            AS_TYPED,
          );
    },
    already: ({ note }, incident) => alreadyClosed(incident, note),
    typed: ({ note }) => note,
  },
  unacknowledge: {
    name: 'undo of an acknowledgement',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: 'acknowledged',
    takesBack: 'acknowledgement',
    done: (_action, incident) =>
      answer(`↩️ You took back your acknowledgement of ${plainHeadline(incident)}. Nobody has taken it now.`),
    already: (_action, incident) =>
      answer(`Nobody has acknowledged ${plainHeadline(incident)}, so nothing was changed.`),
    typed: nothingTyped,
  },
  reopen: {
    name: 'reopening',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: 'closed',
    takesBack: 'closing',
    done: ({ note }, incident) =>
      answer(`↩️ You opened ${plainHeadline(incident)} again. Its resolution note was removed.`, note, AS_TYPED),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is open already, so nothing was changed.`),
    typed: nothingTyped, // the note of the closing was added long ago
  },
  snooze: {
    name: 'snooze',
    savedAs: 'snooze',
    undone: null,
    done: ({ until }, incident) =>
      answer(
        `😴 You snoozed ${plainHeadline(incident)} until ${dateToken(until.toISOString())}. Until then there are no reminders and no new cards; its card stays up to date.`,
      ),
    already: (_action, incident) => alreadyClosed(incident, null),
    typed: nothingTyped,
  },
  unsnooze: {
    name: 'end of a snooze',
    savedAs: 'end of a snooze',
    undone: 'snoozed',
    done: (_action, incident) => answer(`⏰ You ended the snooze of ${plainHeadline(incident)}. Reminders go on.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is not snoozed, so nothing was changed.`),
    typed: nothingTyped,
  },
  note: {
    name: 'note',
    savedAs: 'note',
    undone: null,
    done: (_action, incident, isInThread) =>
      isInThread
        ? answer(
            `📝 The incident service keeps no notes, so your note is a reply in the thread of ${plainHeadline(incident)}.`,
          )
        : answer(`📝 Your note was added to the timeline of ${plainHeadline(incident)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} has that note already.`),
    typed: ({ note }) => note,
  },
  steer: {
    name: 'change',
    savedAs: 'change',
    undone: null,
    done: ({ set }, incident) => answer(`✏️ You changed ${plainHeadline(incident)}: ${changeWords(set)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is so already, so nothing was changed.`),
    typed: ({ set }) => set.title ?? null,
  },
  unsteer: {
    name: 'undo of a change',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: null,
    takesBack: 'change',
    done: ({ set }, incident) =>
      answer(`↩️ You took back your change of ${plainHeadline(incident)}: ${changeWords(set)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is so already, so nothing was changed.`),
    typed: nothingTyped,
  },
  declare: {
    name: 'declaration',
    savedAs: 'declaration',
    undone: null,
    done: (_action, incident) =>
      answer(
        `🚨 You declared ${plainHeadline(incident)}. Its card comes to the channels whose rules match; \`${COMMANDS.incidents} rules\` shows them. What fails in ${code(incident.root_service, 80)} from now on joins it.`,
      ),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is open already.`),
    typed: ({ title, note }) => (note === null ? title : `${title}\n${note}`),
  },
  mute: {
    name: 'mute',
    savedAs: 'mute',
    undone: null,
    done: ({ target, value, until, reason }) =>
      answer(
        `🔕 Muted ${target} ${code(value, 80)} until ${dateToken(until.toISOString())}${reason === null ? '' : ` (${inline(reason, 200)})`}: its incidents are listed, without new cards and reminders. \`${COMMANDS.incidents} rules\` ends it.`,
      ),
    already: ({ target, value }) =>
      answer(`The ${target} ${code(value, 80)} is already muted for as long or longer, so nothing was changed.`),
    typed: nothingTyped,
  },
  unmute: {
    name: 'end of a mute',
    savedAs: 'end of a mute',
    undone: null,
    done: () => answer('The mute has ended. Its open incidents get their cards now.'),
    already: () => answer('That mute has ended already, so nothing was changed.'),
    typed: nothingTyped,
  },
};

function taughtWords({ not_a_problem: isLearnt }: Incident): string {
  return isLearnt === true
    ? '\n🎓 Not a problem: the same evidence there has to be clearly stronger from now on to open an incident. An outage always opens one. Undo takes this back.'
    : '\nThe incident service did not take it as “not a problem”, so it learnt nothing.';
}

const OFTEN = { day: ', every day', week: ', every week' } as const;

/** "service `payments` from Saturday 22:00 until Sunday 2:00, every week: upgrade" */
export function planWords({ target, value, startsAt, until, every, reason }: Action<'mute'>): string {
  const from = startsAt === null ? '' : ` from ${dateToken(startsAt.toISOString())}`;
  const why = reason === null ? '' : `: ${inline(reason, 200)}`;
  return `${target} ${code(value, 80)}${from} until ${dateToken(until.toISOString())}${every === null ? '' : OFTEN[every]}${why}`;
}

/** "severity critical, lead ana" */
export function changeWords(set: SetByHand): string {
  const { title, severity, root_service: root, lead, communications } = set;
  const field = (name: string, value: string | null | undefined, none: string) =>
    value === undefined ? '' : value === null ? `${name} ${none}` : `${name} ${value}`;
  return [
    field('title', title == null ? title : `“${inline(title, 200)}”`, 'as the service finds it'),
    field('severity', severity, 'as the service finds it'),
    field('root', root == null ? root : code(root, 80), 'as the service finds it'),
    field('lead', lead == null ? lead : byName(lead), 'nobody'),
    field('communications', communications == null ? communications : byName(communications), 'nobody'),
  ]
    .filter((words) => words !== '')
    .join(', ');
}

export function answersOf(action: Action): KindAnswers<ActionKind> {
  return KIND_ANSWERS[action.kind];
}

function alreadyClosed(incident: Incident, note: string | null): SlackMessage {
  const isThere = note !== null && isSameText(incident.resolution_note ?? '', note);
  return answer(
    `${plainHeadline(incident)} is already closed, so nothing was changed. ${closedWords(incident)}`,
    isThere ? null : note,
  );
}

export function closedWords(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  const { quoted, rest } = quotePart(note, 600);
  const more = rest === '' ? '' : `\n${restWords(incident, rest)}`;
  return `${stateSentence(incident)}${note === '' ? '.' : `:\n${quoted}${more}`}`;
}
