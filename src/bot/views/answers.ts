import type { Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import type { Action, Cancellation, KeptReason, Outcome, RefusedReason } from '../domain/action.ts';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import { isDoneAlready } from '../domain/incident.ts';
import { isSameText } from '../domain/same-text.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { acknowledgedWords, at, by, plainHeadline } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { cut, escapeMrkdwn, inline, mrkdwn, pieces, plainText, quote } from './mrkdwn.ts';

/**
 * A sentence or two for one person.
 *
 * @param text mrkdwn that is safe already, well below the limit of a section
 * @param note what the person typed, handed back rather than lost; null: nothing to hand back
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

const NOT_ADDED = 'Your note was not added; here it is:';
/** More than Slack lets anybody type, and below what one message holds beside the answer. */
const LONGEST_NOTE = 11_000;
const AS_TYPED = 'Your note as you typed it:';

/** Characters of several answers that go together, below what one message holds. */
const LONGEST_TOGETHER = 10_000;

/**
 * Several answers as one message, as many from the first on as one holds.
 *
 * @returns `told`: how many those are, at least one
 */
export function answersInOne(answers: readonly SlackMessage[]): { message: SlackMessage; told: number } {
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
  return { message, told: taken.length };
}

/** What has become of an action, for the one who asked for it: who, when, and what to do where there is something. */
export function outcomeAnswer(outcome: Outcome): SlackMessage {
  const { action } = outcome;
  switch (outcome.kind) {
    case 'done':
      return doneAnswer(outcome.incident, action);
    case 'already':
      return alreadyAnswer(outcome.incident, action);
    case 'kept':
      return keptAnswer(outcome.reason, action);
    case 'refused':
      return answer(refusedText(outcome.reason, action.incidentId), action.note);
    default:
      return outcome satisfies never;
  }
}

function keptAnswer(reason: KeptReason, action: Action): SlackMessage {
  const { text, blocks } = answer(`${KEPT_BECAUSE[reason]} ${keptWords(action)}`);
  const cancel: Button = {
    type: 'button',
    text: plainText('Cancel it', LIMITS.buttonText),
    action_id: ACTIONS.cancelPending,
    value: action.id,
  };
  return { text, blocks: [...blocks, { type: 'actions', elements: [cancel] }] };
}

/** For the one who takes back what waits. */
export function cancellationAnswer(cancellation: Cancellation): SlackMessage {
  switch (cancellation.kind) {
    case 'cancelled': {
      const what = cancellation.action.kind === 'acknowledge' ? 'acknowledgement' : 'resolution';
      return answer(
        `Your ${what} is cancelled: I do not send it again. Should the incident service have taken an earlier try, the card will show it.`,
        cancellation.action.note,
        AS_TYPED,
      );
    }
    case 'being-sent':
      return answer('Too late to cancel: it is being sent at this moment. I tell you how it ends.');
    case 'settled':
      return answer('There is nothing left to cancel: that was settled already. The card shows how it stands.');
    case 'unknown':
      return answer('I know nothing that you could cancel there.');
    default:
      return cancellation satisfies never;
  }
}

export function incidentNotFound(reference: string): SlackMessage {
  return answer(unknownIncidentText(reference));
}

export function serviceFailing(reason: KeptReason): SlackMessage {
  const advice = reason === 'key' ? '' : ' Please try again in a minute.';
  return answer(`${KEPT_BECAUSE[reason]}${advice}`);
}

export function missingReference(word: string): SlackMessage {
  const example = `${COMMANDS.incidents} ${word} #142`;
  return answer(
    `Which incident? Say its number or id, such as \`${example}\`. \`${COMMANDS.incidents} open\` lists them.`,
  );
}

/** For a click on something that this version of the bot no longer has. */
export function outdatedControl(): SlackMessage {
  return answer(
    `That control is from another version and does nothing now. \`${COMMANDS.incidents} open\` shows what is open.`,
  );
}

export function unknownCommand(command: string): SlackMessage {
  return answer(`I do not know the command ${inline(command, 40)}. Try \`${COMMANDS.incidents} help\`.`);
}

export function somethingBroke(): SlackMessage {
  return answer('Something went wrong on my side, and it is in my log. Please try again in a minute.');
}

/** @param failure of `views.open` or `views.update` */
export function notOpened(
  what: 'form' | 'list',
  failure: { readonly kind: string; readonly error: string },
): SlackMessage {
  return failure.kind === 'refused-token'
    ? answer(
        `Slack refuses the bot’s token (${inline(failure.error, 60)}), so no ${what} can open: whoever runs this bot has to install the app again and set SLACK_BOT_TOKEN.`,
      )
    : answer(`Slack did not open the ${what} in time. Please try again.`);
}

/** For guests and people of other workspaces, who see the channel but may not act. */
export function mayNotAct(standing: 'guest' | 'stranger'): SlackMessage {
  const who = standing === 'guest' ? 'guests of this workspace' : 'people of other workspaces';
  return answer(
    `Nothing was changed: ${who} cannot act on incidents here. Please ask a member of this workspace to do it.`,
  );
}

/** For a note that was typed after the command and could not be stored. */
export function notSaved(note: string): SlackMessage {
  return answer(
    'Your note could not be saved in time, so the incident may still be open. If it was saved after all, you will get a direct message. Otherwise please send the command again in a minute.',
    note,
    AS_TYPED,
  );
}

/** We failed after the note was written down. */
export function noteKept(): SlackMessage {
  return answer('Something went wrong on my side. Your note is kept, and I try again within a minute.');
}

/**
 * For a form that comes again after its first arrival was settled, since Slack had not shown that.
 *
 * @param note what it says now; null: the same as then
 */
export function arrivedBefore(note: string | null): SlackMessage {
  return answer('This form had reached me before and was settled then: the card shows how it stands.', note);
}

/** Before a modal: there is nothing left to resolve. */
export function closedAlready(incident: Incident): SlackMessage {
  return answer(`${plainHeadline(incident)} is closed already. ${closedWords(incident)}`);
}

const KEPT_BECAUSE: Readonly<Record<KeptReason, string>> = {
  unreachable: 'The incident service does not answer right now.',
  failing: 'The incident service answers with errors right now.',
  key: 'The incident service refuses my API key: whoever runs this bot has to check INCIDENTS_API_KEY.',
};

function doneAnswer(incident: Incident, action: Action): SlackMessage {
  const name = plainHeadline(incident);
  if (!isDoneAlready(incident, action.kind)) {
    const [what, state] =
      action.kind === 'acknowledge' ? ['acknowledgement', 'not acknowledged'] : ['resolution', 'open'];
    return answer(
      `The service took your ${what} of ${name} but still shows it as ${state}. The card follows what it shows.`,
      action.note,
      AS_TYPED,
    );
  }
  if (action.kind === 'acknowledge') {
    const user = incident.acknowledged_by ?? action.userName ?? '';
    return answer(
      isSameText(user, action.userName ?? user)
        ? `👍 You acknowledged ${name}${at(incident.acknowledged_at)}.`
        : `👍 The incident service took your acknowledgement of ${name} and shows: ${acknowledgedWords(incident)}.`,
    );
  }
  return isNoteThere(incident, action)
    ? answer(`✅ You closed ${name}${at(incident.closed_at)}. Your note is with it.`)
    : answer(
        `✅ The incident service took your resolution of ${name} and shows: ${closedWords(incident)}`,
        action.note,
        AS_TYPED,
      );
}

/** However the service writes its spaces. */
function isNoteThere({ resolution_note: shown }: Incident, { note }: Action): boolean {
  return isSameText(shown ?? '', note ?? '');
}

function alreadyAnswer(incident: Incident, action: Action): SlackMessage {
  const name = plainHeadline(incident);
  if (incident.status !== 'closed') {
    return answer(`${name} is acknowledged already, so nothing was changed. ${acknowledgedWords(incident)}.`);
  }
  return answer(
    `${name} is closed already, so nothing was changed. ${closedWords(incident)}`,
    isNoteThere(incident, action) ? null : action.note,
  );
}

function closedWords(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  return `Closed${by(incident.resolved_by)}${at(incident.closed_at)}${note === '' ? '.' : `:\n${quote(note, 600)}`}`;
}

function keptWords(action: { kind: 'acknowledge' | 'resolve' }): string {
  const what = action.kind === 'acknowledge' ? 'Your acknowledgement' : 'Your note';
  return `${what} is kept; I send it as soon as that works and tell you then. You need not do anything.`;
}

function refusedText(reason: RefusedReason, reference: string): string {
  if (reason.kind === 'unknown-incident') {
    return unknownIncidentText(reference);
  }
  if (reason.kind === 'not-allowed') {
    return mayNotAct(reason.standing).text;
  }
  const detail = reason.detail === null ? '' : `: ${inline(reason.detail, 300)}`;
  return `The incident service refused that${detail}.`;
}

function unknownIncidentText(reference: string): string {
  return `The incident service knows no incident ${inline(reference, 100)}. \`${COMMANDS.incidents} open\` lists the open ones.`;
}
