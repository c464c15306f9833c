import type { Button } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import type {
  Action,
  Cancellation,
  IncidentAction,
  IncidentActionKind,
  Outcome,
  RefusedReason,
} from '../domain/action.ts';
import { ACTIONS } from '../domain/ids.ts';
import { effectAt, isAcknowledged, isDoneAlready, offersUndo } from '../domain/incident.ts';
import { isSameText } from '../domain/same-text.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { ACTION_WORDS } from './action-words.ts';
import { GOES_ON, isFailing } from './activity-words.ts';
import { AS_TYPED, answer, KEPT_REASONS, mayNotAct, unknownIncidentText } from './answers.ts';
import { acknowledgedWords, at, by, plainHeadline } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { cut, dateToken, inline, plainText, quote } from './mrkdwn.ts';
import { muteAlready, muteAnswer } from './mute-answers.ts';
import { stillFiringWords } from './resolve-modal.ts';

/** The outcome of an action, for the person who asked for it. */
export function outcomeAnswer(outcome: Outcome): SlackMessage {
  switch (outcome.kind) {
    case 'done':
      if (outcome.incident === null) {
        return muteAnswer(outcome.action);
      }
      return outcome.action.kind === 'note' ? noteAnswer(outcome) : doneAnswer(outcome.incident, outcome.action);
    case 'already':
      return outcome.incident === null ? muteAlready(outcome.action) : alreadyAnswer(outcome.incident, outcome.action);
    case 'asked':
      return askedAnswer(outcome);
    case 'kept':
      return keptAnswer(outcome.reason, outcome.action);
    case 'refused':
      return answer(refusedText(outcome.reason, outcome.action), noteToKeep(outcome.action));
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

function keptAnswer(reason: Extract<Outcome, { kind: 'kept' }>['reason'], action: Action): SlackMessage {
  const words =
    reason === 'no-card-yet'
      ? "Your note is saved. I'll add it to the thread of the incident's card as soon as there is one, and let you know."
      : `${KEPT_REASONS[reason]} ${keptWords(action)}`;
  const { text, blocks } = answer(words);
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

/** Shown instead of the resolve form when the incident is already closed. */
export function closedAlready(incident: Incident): SlackMessage {
  return answer(`${plainHeadline(incident)} is already closed. ${closedWords(incident)}`);
}

function noteAnswer({ incident, isInThread = false }: Extract<Outcome, { kind: 'done' }>): SlackMessage {
  const name = plainHeadline(incident);
  return isInThread
    ? answer(`📝 The incident service keeps no notes, so your note is a reply in the thread of ${name}.`)
    : answer(`📝 Your note was added to the timeline of ${name}.`);
}

function doneAnswer(incident: Incident, action: IncidentAction): SlackMessage {
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

const NOT_DONE: Readonly<Record<IncidentActionKind, string>> = {
  acknowledge: 'not acknowledged',
  resolve: 'open',
  unacknowledge: 'acknowledged',
  reopen: 'closed',
  snooze: 'not snoozed',
  unsnooze: 'snoozed',
  note: 'without it',
};

/** Adds the Undo button where the service can take the action back. */
function withUndo(message: SlackMessage, incident: Incident, action: IncidentAction): SlackMessage {
  if (!offersUndo(incident) || effectAt(incident, action.kind) === null) {
    return message;
  }
  const { text, blocks } = withButton(message, { label: 'Undo', actionId: ACTIONS.undo, incident, action });
  return { text: `${text}\nUndo is possible for ten minutes.`, blocks };
}

function receipt(incident: Incident, action: IncidentAction): SlackMessage {
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

function alreadyAnswer(incident: Incident, action: IncidentAction): SlackMessage {
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
    return incidentId === null ? 'The incident service no longer knows this mute.' : unknownIncidentText(incidentId);
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
