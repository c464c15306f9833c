import type { Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import type { Action, ActionKind, Cancellation, KeptReason, Outcome, RefusedReason } from '../domain/action.ts';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import { effectAt, isAcknowledged, isDoneAlready, offersUndo } from '../domain/incident.ts';
import type { NotAllowed } from '../domain/person.ts';
import { isSameText } from '../domain/same-text.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { ACTION_WORDS } from './action-words.ts';
import { GOES_ON, isFailing } from './activity-words.ts';
import { acknowledgedWords, at, by, plainHeadline } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { cut, dateToken, escapeMrkdwn, inline, mrkdwn, pieces, plainText, quote } from './mrkdwn.ts';
import { stillFiringWords } from './resolve-modal.ts';

/**
 * A short message for one person.
 *
 * @param text mrkdwn, already escaped and well below the limit of a section
 * @param note what the person typed, quoted back so that it is not lost; null: no note
 */
export function answer(text: string, note: string | null = null, heading: string = NOT_ADDED): SlackMessage {
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(text) }];
  if (note === null || note === '') {
    return { text, blocks };
  }
  blocks.push(
    { type: 'section', text: mrkdwn(heading) },
    ...pieces(cut(note, LONGEST_NOTE), LIMITS.sectionText).map(
      (piece): KnownBlock => ({ type: 'section', text: plainText(piece, LIMITS.sectionText) }),
    ),
  );
  return { text: [text, heading, escapeMrkdwn(note, LONGEST_NOTE)].join('\n'), blocks };
}

const NOT_ADDED = 'Your note was not added. Here it is:';
/** More than Slack lets anybody type, and short enough to fit into one message with the answer. */
const LONGEST_NOTE = 11_000;
const AS_TYPED = 'Your note as you typed it:';

/** Limit for the combined text of several answers, in characters; below what one message holds. */
const LONGEST_TOGETHER = 10_000;

/**
 * Joins as many answers as fit into one message, starting with the first.
 *
 * @returns `included`: the number of answers in the message, at least one
 */
export function answersInOne(answers: readonly SlackMessage[]): { message: SlackMessage; included: number } {
  const taken: SlackMessage[] = [];
  let length = 0;
  for (const each of answers) {
    length += each.text.length;
    if (taken.length > 0 && length > LONGEST_TOGETHER) {
      break;
    }
    taken.push(each);
  }
  const message = { text: messageText(taken.map(({ text }) => text)), blocks: taken.flatMap(({ blocks }) => blocks) };
  return { message, included: taken.length };
}

/** The outcome of an action, for the person who asked for it. */
export function outcomeAnswer(outcome: Outcome): SlackMessage {
  const { action } = outcome;
  switch (outcome.kind) {
    case 'done':
      return action.kind === 'note' ? noteAnswer(outcome) : doneAnswer(outcome.incident, action);
    case 'already':
      return alreadyAnswer(outcome.incident, action);
    case 'asked':
      return askedAnswer(outcome);
    case 'kept':
      return keptAnswer(outcome.reason, action);
    case 'refused':
      return answer(refusedText(outcome.reason, action), noteToKeep(action));
    default:
      return outcome satisfies never;
  }
}

/** A note that was not added is quoted back. The note of a closing that is undone was added long ago. */
function noteToKeep({ kind, note }: Action): string | null {
  return kind === 'resolve' || kind === 'note' ? note : null;
}

function askedAnswer({ action, incident, stillFiring }: Extract<Outcome, { kind: 'asked' }>): SlackMessage {
  const what = stillFiring === null ? '' : ` ${stillFiringWords(stillFiring)}`;
  const goesOn = isFailing(incident) ? ` ${GOES_ON}` : '';
  const message = answer(
    `⚠️ ${plainHeadline(incident)} is *still failing*, so it was not closed.${what}${goesOn} Resolve anyway?`,
    action.note,
    AS_TYPED,
  );
  return withButton(message, { label: 'Resolve anyway', actionId: ACTIONS.resolveAnyway, incident, action });
}

/** Adds a button for the action to the first section. */
function withButton(
  { text, blocks }: SlackMessage,
  { label, actionId, incident, action }: { label: string; actionId: string; incident: Incident; action: Action },
): SlackMessage {
  const accessory: Button = {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: action.id,
    accessibility_label: cut(`${label}: ${plainHeadline(incident)}`, LIMITS.accessibilityLabel),
  };
  return { text, blocks: blocks.map((block, index) => (index === 0 ? { ...block, accessory } : block)) };
}

function keptAnswer(reason: KeptReason, action: Action): SlackMessage {
  const { text, blocks } = answer(`${REASONS[reason]} ${keptWords(action)}`);
  const cancel: Button = {
    type: 'button',
    text: plainText('Cancel', LIMITS.buttonText),
    action_id: ACTIONS.cancelPending,
    value: action.id,
  };
  return { text, blocks: [...blocks, { type: 'actions', elements: [cancel] }] };
}

/** The answer to somebody who cancels a pending action. */
export function cancellationAnswer(cancellation: Cancellation): SlackMessage {
  switch (cancellation.kind) {
    case 'cancelled': {
      const { action } = cancellation;
      return answer(
        `Your ${ACTION_WORDS[action.kind]} is cancelled and won't be sent again. If the incident service accepted an earlier attempt, the card will show it.`,
        noteToKeep(action),
        AS_TYPED,
      );
    }
    case 'being-sent':
      return answer("Too late to cancel: it's being sent right now. I'll let you know the result.");
    case 'settled':
      return answer(
        "There's nothing left to cancel: this action is already finished. The card shows the current state.",
      );
    case 'unknown':
      return answer("There's nothing to cancel.");
    default:
      return cancellation satisfies never;
  }
}

export function incidentNotFound(reference: string): SlackMessage {
  return answer(unknownIncidentText(reference));
}

export function serviceFailing(reason: KeptReason): SlackMessage {
  const advice = reason === 'key' ? '' : ' Please try again in a minute.';
  return answer(`${REASONS[reason]}${advice}`);
}

export function missingReference(word: string): SlackMessage {
  const example = `${COMMANDS.incidents} ${word} #142`;
  return answer(
    `Which incident? Give its number or id, for example \`${example}\`. \`${COMMANDS.incidents} open\` lists them.`,
  );
}

/** The answer to a click on a control that this version of the bot does not have. */
export function outdatedControl(): SlackMessage {
  return answer(
    `That control is from another version of the bot and no longer works. \`${COMMANDS.incidents} open\` lists the open incidents.`,
  );
}

export function unknownCommand(command: string): SlackMessage {
  return answer(`Unknown command ${inline(command, 40)}. Try \`${COMMANDS.incidents} help\`.`);
}

export function somethingBroke(): SlackMessage {
  return answer('Something went wrong on my side and was logged. Please try again in a minute.');
}

/** @param failure of `views.open` or `views.update` */
export function notOpened(
  what: 'form' | 'list',
  failure: { readonly kind: string; readonly error: string },
): SlackMessage {
  return failure.kind === 'refused-token'
    ? answer(
        `Slack refuses the bot’s token (${inline(failure.error, 60)}), so the ${what} can't open. The operator of this bot must reinstall the app and set SLACK_BOT_TOKEN.`,
      )
    : answer(`Slack did not open the ${what} in time. Please try again.`);
}

/** The answer to people who can see the channel but may not act. It says whom to ask. */
export function mayNotAct(why: NotAllowed): SlackMessage {
  switch (why.kind) {
    case 'guest':
      return answer(refusalOf('guests of this workspace', 'a member of this workspace'));
    case 'stranger':
      return answer(refusalOf('people of other workspaces', 'a member of this workspace'));
    case 'no-responder':
      return answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can act on incidents here. Please ask one of them, or ask to be added.`,
      );
    case 'unverified':
      return answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can act on incidents here, and Slack has not said for 15 minutes who they are. Please try again in a minute, or act in the dashboard.`,
      );
    default:
      return why satisfies never;
  }
}

/** The answer to somebody who may not change rules. It says whom to ask. */
export function mayNotChangeRules(why: NotAllowed): SlackMessage {
  return 'groups' in why
    ? answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can change rules here${why.kind === 'unverified' ? ', and Slack has not said who they are. Please try again in a minute.' : '. Please ask one of them, or ask to be added.'}`,
      )
    : mayNotAct(why);
}

function refusalOf(who: string, whom: string): string {
  return `Nothing was changed: ${who} cannot act on incidents here. Please ask ${whom}.`;
}

function groupNames(groups: readonly string[]): string {
  return groups.map((group) => inline(group, 80)).join(' or ');
}

/** The answer to a note that was typed after the command and could not be stored. */
export function notSaved(note: string): SlackMessage {
  return answer(
    "Your note could not be saved in time, so the incident may still be open. If it was saved after all, you'll get a direct message. Otherwise, please send the command again in a minute.",
    note,
    AS_TYPED,
  );
}

/** The note of a command that fits several incidents. */
export function typedNote(note: string): SlackMessage {
  return answer('No incident was closed with your note yet.', note, AS_TYPED);
}

/** The beginning of a file that Slack did not take. */
export function pieceOfFile(label: string, content: string): SlackMessage {
  const isWhole = content.length <= LONGEST_NOTE;
  const rest = isWhole ? '' : ' Only its beginning fits here.';
  return answer(`${label} as text, because Slack did not take the file.${rest}`, content, 'It says:');
}

/** Tocsin failed after the note was stored. */
export function noteKept(): SlackMessage {
  return answer("Something went wrong on my side. Your note is saved, and I'll retry within a minute.");
}

/**
 * The answer to a form that was submitted twice because Slack had not shown that the first submission arrived.
 *
 * @param note the note of the second submission; null: the same as the first
 */
export function arrivedBefore(note: string | null): SlackMessage {
  return answer('This form was already submitted and processed. The card shows the current state.', note);
}

/** Shown instead of the resolve form when the incident is already closed. */
export function closedAlready(incident: Incident): SlackMessage {
  return answer(`${plainHeadline(incident)} is already closed. ${closedWords(incident)}`);
}

const REASONS: Readonly<Record<KeptReason, string>> = {
  unreachable: 'The incident service is not responding right now.',
  failing: 'The incident service is returning errors right now.',
  key: 'The incident service refuses my API key. The operator of this bot must check INCIDENTS_API_KEY.',
};

function noteAnswer({ incident, isInThread = false }: Extract<Outcome, { kind: 'done' }>): SlackMessage {
  const name = plainHeadline(incident);
  return isInThread
    ? answer(`📝 The incident service keeps no notes, so your note is a reply in the thread of ${name}.`)
    : answer(`📝 Your note was added to the timeline of ${name}.`);
}

function doneAnswer(incident: Incident, action: Action): SlackMessage {
  const name = plainHeadline(incident);
  if (action.kind === 'snooze') {
    return answer(
      `😴 You snoozed ${name} until ${dateToken(action.until?.toISOString() ?? '')}. Until then there are no reminders and no new cards; its card stays up to date.`,
    );
  }
  if (!isDoneAlready(incident, action.kind)) {
    return answer(
      `The service accepted your ${ACTION_WORDS[action.kind]} of ${name} but still shows it as ${NOT_DONE[action.kind]}. The card shows what the service reports.`,
      noteToKeep(action),
      AS_TYPED,
    );
  }
  if (action.kind === 'unsnooze') {
    return answer(`⏰ You ended the snooze of ${name}. Reminders go on.`);
  }
  if (action.kind === 'unacknowledge') {
    return answer(`↩️ You took back your acknowledgement of ${name}. Nobody has taken it now.`);
  }
  if (action.kind === 'reopen') {
    return answer(`↩️ You opened ${name} again. Its resolution note was removed.`, action.note, AS_TYPED);
  }
  return withUndo(receipt(incident, action), incident, action);
}

const NOT_DONE: Readonly<Record<ActionKind, string>> = {
  acknowledge: 'not acknowledged',
  resolve: 'open',
  unacknowledge: 'acknowledged',
  reopen: 'closed',
  snooze: 'not snoozed',
  unsnooze: 'snoozed',
  note: 'without it',
};

/** Adds the Undo button where the service can take the action back. */
function withUndo(message: SlackMessage, incident: Incident, action: Action): SlackMessage {
  if (!offersUndo(incident) || effectAt(incident, action.kind) === null) {
    return message;
  }
  const { text, blocks } = withButton(message, { label: 'Undo', actionId: ACTIONS.undo, incident, action });
  return { text: `${text}\nUndo is possible for ten minutes.`, blocks };
}

function receipt(incident: Incident, action: Action): SlackMessage {
  const name = plainHeadline(incident);
  if (action.kind === 'acknowledge') {
    const user = incident.acknowledged_by ?? action.userName ?? '';
    return answer(
      isSameText(user, action.userName ?? user)
        ? `👍 You acknowledged ${name}${at(incident.acknowledged_at)}.`
        : `👍 The incident service accepted your acknowledgement of ${name} and shows: ${acknowledgedWords(incident)}.`,
    );
  }
  const warning = isFailing(incident) ? `\n⚠️ Still failing: ${GOES_ON}` : '';
  return isNoteThere(incident, action)
    ? answer(`✅ You closed ${name}${at(incident.closed_at)}. Your note was added.${warning}`)
    : answer(
        `✅ The incident service accepted your resolution of ${name} and shows: ${closedWords(incident)}${warning}`,
        action.note,
        AS_TYPED,
      );
}

/** Whether the service shows the note; differences in white space do not count. */
function isNoteThere({ resolution_note: shown }: Incident, { note }: Action): boolean {
  return isSameText(shown ?? '', note ?? '');
}

function alreadyAnswer(incident: Incident, action: Action): SlackMessage {
  const name = plainHeadline(incident);
  if (action.kind === 'unacknowledge') {
    return answer(`Nobody has acknowledged ${name}, so nothing was changed.`);
  }
  if (action.kind === 'unsnooze') {
    return answer(`${name} is not snoozed, so nothing was changed.`);
  }
  if (action.kind === 'reopen') {
    return answer(`${name} is open already, so nothing was changed.`);
  }
  if (incident.status !== 'closed') {
    return answer(`${name} is already acknowledged, so nothing was changed. ${acknowledgedWords(incident)}.`);
  }
  return answer(
    `${name} is already closed, so nothing was changed. ${closedWords(incident)}`,
    isNoteThere(incident, action) ? null : action.note,
  );
}

function closedWords(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  return `Closed${by(incident.resolved_by)}${at(incident.closed_at)}${note === '' ? '.' : `:\n${quote(note, 600)}`}`;
}

function keptWords({ kind }: Action): string {
  if (kind === 'unacknowledge' || kind === 'reopen') {
    return "Your undo is saved. I'll send it if the service accepts it within ten minutes of your action, and let you know.";
  }
  const what = kind === 'resolve' || kind === 'note' ? 'note' : ACTION_WORDS[kind];
  return `Your ${what} is saved. I'll send it as soon as the service accepts it and let you know; you don't need to do anything.`;
}

function refusedText(reason: RefusedReason, { kind, incidentId }: Action): string {
  if (reason.kind === 'unknown-incident') {
    return unknownIncidentText(incidentId);
  }
  if (reason.kind === 'undo-expired') {
    return `Undo is possible for ten minutes, so nothing was changed. ${stateNow(reason.incident)}`;
  }
  if (reason.kind === 'undo-overtaken') {
    return `Something else happened since, so your ${kind === 'reopen' ? 'closing' : 'acknowledgement'} was not undone. ${stateNow(reason.incident)}`;
  }
  if (reason.kind === 'not-allowed') {
    return mayNotAct(reason.why).text;
  }
  if (reason.kind === 'no-thread') {
    return 'The incident service keeps no notes, and the incident has no card in Slack whose thread could.';
  }
  const detail = reason.detail === null ? '' : `: ${inline(reason.detail, 300)}`;
  return `The incident service refused the request${detail}.`;
}

/** "#6 payments: Closed by ana, 10:02: …" */
function stateNow(incident: Incident): string {
  const state =
    incident.status === 'closed'
      ? closedWords(incident)
      : `Open, ${isAcknowledged(incident) ? `acknowledged${by(incident.acknowledged_by)}${at(incident.acknowledged_at)}` : 'not acknowledged'}.`;
  return `${plainHeadline(incident)}: ${state}`;
}

function unknownIncidentText(reference: string): string {
  return `The incident service has no incident ${inline(reference, 100)}. \`${COMMANDS.incidents} open\` lists the open ones.`;
}
