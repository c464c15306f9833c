import type { Button } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import {
  type Action,
  type ActionWithIncident,
  type Cancellation,
  type MuteAction,
  type Outcome,
  type RefusedReason,
  UNDO_OF,
} from '../domain/action.ts';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import { effectAt, isDoneAlready, isFailing, offersUndo } from '../domain/incident.ts';
import { isSameText } from '../domain/same-text.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { GOES_ON } from './activity-words.ts';
import { AS_TYPED, answer, KEPT_REASONS, mayNotAct, unknownIncidentText } from './answers.ts';
import { stateSentence } from './incident-lines.ts';
import { at, plainHeadline } from './incident-words.ts';
import { answersOf, closedWords, KIND_ANSWERS, planWords } from './kind-answers.ts';
import { LIMITS } from './limits.ts';
import { code, cut, inline, plainText } from './mrkdwn.ts';
import { muteValue } from './mute-value.ts';
import { byName } from './people-words.ts';
import { stillFiringWords } from './resolve-modal.ts';
import { messageOf } from './text-of.ts';

/**
 * The outcome of an action, for the person who asked for it.
 *
 * @param open incidents to offer if there is no such incident, the worst first
 */
export function outcomeAnswer(outcome: Outcome, open: readonly Snapshot[] = []): SlackMessage {
  switch (outcome.kind) {
    case 'done':
      return outcome.incident === null
        ? muteAnswer(outcome.action, outcome.muteId)
        : doneAnswer(outcome.incident, outcome.action, outcome.isInThread === true);
    case 'already':
      return alreadyAnswer(outcome.action, outcome.incident);
    case 'asked':
      return askedAnswer(outcome);
    case 'void':
      return answer(voidText(outcome), typedIn(outcome.action));
    case 'kept':
      return keptAnswer(outcome.reason, outcome.action);
    case 'refused':
      return answer(refusedText(outcome.reason, outcome.action, open), typedIn(outcome.action));
    default:
      return outcome satisfies never;
  }
}

/** The answer about a mute, with an Undo button that ends it early if its id is known. */
function muteAnswer(action: MuteAction, muteId: string | undefined): SlackMessage {
  const message = answersOf(action).done(action, null, false);
  if (action.kind !== 'mute' || muteId === undefined) {
    return message;
  }
  const undo: Button = {
    type: 'button',
    text: plainText('Undo', LIMITS.buttonText),
    action_id: ACTIONS.muteEnd,
    value: muteValue({ ...action, id: muteId }),
    accessibility_label: cut(`Undo: end the mute of ${action.target} ${action.value}`, LIMITS.accessibilityLabel),
  };
  return messageOf([...message.blocks, { type: 'actions', elements: [undo] }]);
}

/** The answer if nothing had to be done. Offers to add the note of somebody who closed second to the timeline. */
function alreadyAnswer(action: Action, incident: Incident | null): SlackMessage {
  const message = answersOf(action).already(action, incident);
  const isLate =
    incident !== null &&
    action.kind === 'resolve' &&
    incident.status === 'closed' &&
    !isSameText(incident.resolution_note ?? '', action.note);
  return isLate
    ? withButton(message, { label: 'Add to the timeline', actionId: ACTIONS.addLateNote, incident, action })
    : message;
}

/** The typed text that an answer quotes back because it was not added; null: none. */
function typedIn(action: Action): string | null {
  return answersOf(action).typed(action);
}

/** "You took this back, 9:02, so it was not done again." */
function voidText({ action, incident, newer }: Extract<Outcome, { kind: 'void' }>): string {
  const when = at(newer.at.toISOString());
  const subject = incident === null ? subjectWords(action) : plainHeadline(incident);
  if (action.kind === 'declare') {
    // The first one may have arrived without an answer. The service takes both as one incident.
    return `You declared “${subject}” again${when}, so this one was not sent again. There is one incident for both.`;
  }
  const name = `${answersOf(action).name} of ${subject}`;
  const other = newer.by === null ? null : byName(newer.by);
  if (UNDO_OF[action.kind] !== newer.kind) {
    const theirs = other === null ? 'your' : `${other}'s`;
    return `Your ${name} was not done, because ${theirs} ${KIND_ANSWERS[newer.kind].name} is newer${when}.`;
  }
  const who = other ?? 'You';
  return `${who} took this back${when}, so your ${name} was not done again.`;
}

function subjectWords(action: Action): string {
  if (action.incidentId !== null) {
    return inline(action.incidentId, 100);
  }
  return action.kind === 'declare' ? inline(action.title, 100) : `${action.target} ${code(action.value, 80)}`;
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
  { blocks }: SlackMessage,
  { label, actionId, incident, action }: { label: string; actionId: string; incident: Incident; action: Action },
): SlackMessage {
  const accessory: Button = {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: action.id,
    accessibility_label: cut(`${label}: ${plainHeadline(incident)}`, LIMITS.accessibilityLabel),
  };
  return messageOf(blocks.map((block, index) => (index === 0 ? { ...block, accessory } : block)));
}

function keptAnswer(reason: Extract<Outcome, { kind: 'kept' }>['reason'], action: Action): SlackMessage {
  const isPlanned = action.kind === 'mute' && action.startsAt !== null;
  const words = isPlanned
    ? `🗓️ Planned: ${planWords(action)}. Until then nothing changes; \`${COMMANDS.incidents} rules\` shows it.`
    : reason === 'planned' || reason === 'no-card-yet'
      ? "Your note is saved. I'll add it to the thread of the incident's card as soon as there is one, and let you know."
      : `${KEPT_REASONS[reason]} ${keptWords(action)}`;
  const { blocks } = answer(words);
  const cancel: Button = {
    type: 'button',
    text: plainText('Cancel', LIMITS.buttonText),
    action_id: ACTIONS.cancelPending,
    value: action.id,
  };
  return messageOf([...blocks, { type: 'actions', elements: [cancel] }]);
}

/** The answer to somebody who cancels a pending action. */
export function cancellationAnswer(cancellation: Cancellation): SlackMessage {
  switch (cancellation.kind) {
    case 'cancelled': {
      const { action } = cancellation;
      return answer(
        `Your ${answersOf(action).name} is cancelled and won't be sent again. If the incident service accepted an earlier attempt, the card will show it.`,
        typedIn(action),
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

function doneAnswer(incident: Incident, action: ActionWithIncident, isInThread: boolean): SlackMessage {
  const words = answersOf(action);
  const { name, undone } = words;
  if (undone !== null && !isDoneAlready(incident, action.kind)) {
    return answer(
      `The service accepted your ${name} of ${plainHeadline(incident)} but still shows it as ${undone}. The card shows what the service reports.`,
      typedIn(action),
      AS_TYPED,
    );
  }
  return withUndo(words.done(action, incident, isInThread), incident, action);
}

/** Adds the Undo button where the service can take the action back. */
function withUndo(message: SlackMessage, incident: Incident, action: ActionWithIncident): SlackMessage {
  if (!offersUndo(incident) || effectAt(incident, action.kind) === null) {
    return message;
  }
  return withButton(message, { label: 'Undo', actionId: ACTIONS.undo, incident, action });
}

function keptWords(action: Action): string {
  const { savedAs, savedUntil } = answersOf(action);
  return savedUntil === undefined
    ? `Your ${savedAs} is saved. I'll send it as soon as the service accepts it and let you know; you don't need to do anything.`
    : `Your ${savedAs} is saved. I'll send it ${savedUntil}, and let you know.`;
}

function refusedText(reason: RefusedReason, action: Action, open: readonly Snapshot[]): string {
  const { incidentId } = action;
  if (reason.kind === 'unknown-incident') {
    return incidentId === null
      ? 'The incident service no longer knows this mute.'
      : unknownIncidentText(incidentId, open);
  }
  if (reason.kind === 'not-offered') {
    return `The incident service refused the request: it does not offer this, so your ${answersOf(action).name} was not done.`;
  }
  if (reason.kind === 'undo-expired') {
    return `Undo is possible for ten minutes, so nothing was changed. ${stateNow(reason.incident)}`;
  }
  if (reason.kind === 'undo-overtaken') {
    return `Something else happened since, so your ${answersOf(action).takesBack ?? answersOf(action).name} was not undone. ${stateNow(reason.incident)}`;
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
  const state = incident.status === 'closed' ? closedWords(incident) : `${stateSentence(incident)}.`;
  return `${plainHeadline(incident)}: ${state}`;
}
