import type { KeptReason } from '../actions/action.ts';
import { groupNames, KEPT_REASONS, mayNotAct, tokenRefused, unknownIncidentText } from '../actions/refusal-words.ts';
import { AS_TYPED, answer, LONGEST_NOTE } from '../blocks/answer.ts';
import { COMMANDS } from '../blocks/ids.ts';
import { inline } from '../blocks/mrkdwn.ts';
import type { NotAllowed } from '../slack/person.ts';
import type { SlackMessage } from '../slack/slack-message.ts';

export function incidentNotFound(reference: string): SlackMessage {
  return answer(unknownIncidentText(reference));
}

export function serviceFailing(reason: KeptReason): SlackMessage {
  const advice = reason === 'key' ? '' : ' Please try again in a minute.';
  return answer(`${KEPT_REASONS[reason]}${advice}`);
}

export function tooManyRoles(): SlackMessage {
  return answer('Nothing was assigned: at most two people or groups fit, who leads and then who communicates.');
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
    return answer(tokenRefused(failure.error, `the ${what} can't open`));
  }
  if (failure.kind === 'ambiguous') {
    const orEmpty = what === 'list' ? ', or it stays empty' : '';
    return answer(`Slack did not confirm that the ${what} opened. If you don't see it${orEmpty}, please try again.`);
  }
  return answer(`Slack did not open the ${what} in time. Please try again.`);
}

/** The answer to somebody who may not change rules. It says whom to ask. */
export function mayNotChangeRules(why: NotAllowed): SlackMessage {
  return 'groups' in why
    ? answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can change rules here${why.kind === 'unverified' ? ', and Slack has not said who they are. Please try again in a minute.' : '. Please ask one of them, or ask to be added.'}`,
      )
    : mayNotAct(why);
}

/** The answer to a note that was typed after the command and could not be stored. */
export function notSaved(note: string): SlackMessage {
  return answer(
    "Your note could not be saved in time, so the incident may still be open. If it was saved after all, you'll get a direct message. Otherwise, please send the command again in a minute.",
    note,
    AS_TYPED,
  );
}

/** The same for what follows another command. @param what "declaration" */
export function commandNotSaved(what: string, text: string): SlackMessage {
  return answer(
    `Your ${what} could not be saved in time. If it was saved after all, you'll get a direct message. Otherwise, please send the command again in a minute.`,
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

/** The error of a form that was submitted again with another note. It stays open, so that note is not lost. */
export const ARRIVED_BEFORE =
  'This form was already submitted and processed, with its earlier text. Copy this text if you still need it, and close the form.';
