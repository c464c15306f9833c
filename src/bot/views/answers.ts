import type { KnownBlock } from '@slack/types';
import type { KeptReason } from '../domain/action.ts';
import { COMMANDS } from '../domain/ids.ts';
import type { NotAllowed } from '../domain/person.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { plainHeadline } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { cut, inline, mrkdwn, pieces, plainText } from './mrkdwn.ts';
import { messageOf } from './text-of.ts';

/**
 * A short message for one person.
 *
 * @param text mrkdwn, already escaped and well below the limit of a section
 * @param note what the person typed, quoted back so that it is not lost; null: no note
 */
export function answer(text: string, note: string | null = null, heading: string = NOT_ADDED): SlackMessage {
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(text) }];
  if (note === null || note === '') {
    return messageOf(blocks);
  }
  blocks.push(
    { type: 'section', text: mrkdwn(heading) },
    ...pieces(cut(note, LONGEST_NOTE), LIMITS.sectionText).map(
      (piece): KnownBlock => ({ type: 'section', text: plainText(piece, LIMITS.sectionText) }),
    ),
  );
  return messageOf(blocks);
}

const NOT_ADDED = 'Your note was not added. Here it is:';
/** Characters of a quoted note. Longer than Slack's inputs allow, and it fits into one message with the answer. */
const LONGEST_NOTE = 11_000;
export const AS_TYPED = 'Your note as you typed it:';

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
  return { message: messageOf(taken.flatMap(({ blocks }) => blocks)), included: taken.length };
}

export function incidentNotFound(reference: string): SlackMessage {
  return answer(unknownIncidentText(reference));
}

export function serviceFailing(reason: KeptReason): SlackMessage {
  const advice = reason === 'key' ? '' : ' Please try again in a minute.';
  return answer(`${KEPT_REASONS[reason]}${advice}`);
}

/** The answer to a name that nobody has, or several people. */
export function cannotAssign(typed: string): SlackMessage {
  return answer(
    `Nothing was assigned: \`${inline(typed, 80).replaceAll('`', "'")}\` names no single person or group here. At most two fit: who leads, then who communicates. \`${COMMANDS.incidents} change\` offers people and groups to choose from.`,
  );
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
  if (failure.kind === 'refused-token') {
    return answer(
      `Slack refuses the bot’s token (${inline(failure.error, 60)}), so the ${what} can't open. The operator of this bot must reinstall the app and set SLACK_BOT_TOKEN.`,
    );
  }
  if (failure.kind === 'ambiguous') {
    const orEmpty = what === 'list' ? ', or it stays empty' : '';
    return answer(`Slack did not confirm that the ${what} opened. If you don't see it${orEmpty}, please try again.`);
  }
  return answer(`Slack did not open the ${what} in time. Please try again.`);
}

/** The answer to people who can see the channel but may not act. It says whom to ask. */
export function mayNotAct(why: NotAllowed): SlackMessage {
  switch (why.kind) {
    case 'guest':
      return answer(refusalOf('Guests of this workspace'));
    case 'stranger':
      return answer(refusalOf('People of other workspaces'));
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

/** The same for somebody who wanted to look and for somebody who wanted to act. */
function refusalOf(who: string): string {
  return `${who} can only read the cards here. Please ask a member of this workspace for anything else.`;
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

/** The same for a declaration. */
export function declarationNotSaved(text: string): SlackMessage {
  return answer(
    "Your declaration could not be saved in time. If it was saved after all, you'll get a direct message. Otherwise, please send the command again in a minute.",
    text,
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

/** The error of a form that was submitted again with another note. It stays open, so that note is not lost. */
export const ARRIVED_BEFORE =
  'This form was already submitted and processed, with its earlier text. Copy this text if you still need it, and close the form.';

/** Why an action is kept for later. */
export const KEPT_REASONS: Readonly<Record<KeptReason, string>> = {
  unreachable: 'The incident service is not responding right now.',
  failing: 'The incident service is returning errors right now.',
  key: 'The incident service refuses my API key. The operator of this bot must check INCIDENTS_API_KEY.',
};

const MOST_NAMED = 3;

/** @param open the worst first; some are named */
export function unknownIncidentText(reference: string, open: readonly Snapshot[] = []): string {
  const unknown = `The incident service has no incident ${inline(reference, 100)}.`;
  if (open.length === 0) {
    return `${unknown} \`${COMMANDS.incidents} open\` lists the open ones.`;
  }
  const named = open.slice(0, MOST_NAMED).map((incident) => plainHeadline(incident));
  const rest = open.length - named.length;
  const more = rest > 0 ? `; and ${rest.toLocaleString('en')} more: \`${COMMANDS.incidents} open\`` : '';
  return `${unknown} Open now: ${named.join('; ')}${more}`;
}
