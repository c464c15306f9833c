import type { Button } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { AS_TYPED, answer } from '../blocks/answer.ts';
import { LIMITS } from '../blocks/limits.ts';
import { cut, inline, plainText, quotePart } from '../blocks/mrkdwn.ts';
import { byName } from '../blocks/people-words.ts';
import { messageOf } from '../blocks/text-of.ts';
import { restWords } from '../incident/further-words.ts';
import { offersAdditions } from '../incident/incident.ts';
import { at, plainHeadline, stateSentence } from '../incident/incident-words.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import { isSameText } from '../slack/same-text.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Action, Cancellation, Outcome, RefusedReason } from './action.ts';
import { type ActionDefinition, type ActionDefinitions, type Done, definitionOf } from './definition.ts';
import { ANSWER_BUTTONS } from './ids.ts';
import { cannotAssign, KEPT_REASONS, mayNotAct, unknownIncidentText } from './refusal-words.ts';

/** What is told to the person who asked for an action. */
export interface OutcomeAnswers {
  /** @param open incidents to offer if there is no such incident, the worst first */
  outcomeAnswer(outcome: Outcome, open?: readonly Snapshot[]): SlackMessage;
  /** The answer about an action that failed on our side after it was stored. */
  actionKept(action: Action): SlackMessage;
  /** The answer to somebody who cancels a pending action. */
  cancellationAnswer(cancellation: Cancellation): SlackMessage;
}

export function createOutcomeAnswers(definitions: ActionDefinitions): OutcomeAnswers {
  const of = ({ kind }: Pick<Action, 'kind'>): ActionDefinition => definitionOf(definitions, kind);
  /** The typed text that an answer quotes back because it was not added; null: none. */
  const typedIn = (action: Action) => of(action).typed?.(action) ?? null;

  function doneAnswer(outcome: Done): SlackMessage {
    const { action, incident } = outcome;
    const definition = of(action);
    if (incident === null) {
      return definition.done(action, null as never, outcome); // its kind is not on an incident
    }
    if (definition.undone !== null && !definition.isThere(incident)) {
      return answer(
        `The service accepted your ${definition.name} of ${plainHeadline(incident)} but still shows it as ${definition.undone}. The card shows what the service reports.`,
        typedIn(action),
        AS_TYPED,
      );
    }
    const message = definition.done(action, incident, outcome);
    // Undo is offered where the service can take the action back.
    return offersAdditions(incident) && (definition.doneAt?.(incident) ?? null) !== null
      ? withButton(message, { label: 'Undo', actionId: ANSWER_BUTTONS.undo, incident, action })
      : message;
  }

  /** "You took this back, 9:02, so it was not done again." */
  function voidText({ action, incident, newer }: Extract<Outcome, { kind: 'void' }>): string {
    const definition = of(action);
    const when = at(newer.at.toISOString());
    const subject = incident === null ? subjectWords(action) : plainHeadline(incident);
    if (definition.again !== undefined) {
      return definition.again(subject, when);
    }
    const name = `${definition.name} of ${subject}`;
    const other = newer.by === null ? null : byName(newer.by);
    if (definition.undoneBy !== newer.kind) {
      const theirs = other === null ? 'your' : `${other}'s`;
      return `Your ${name} was not done, because ${theirs} ${of(newer).name} is newer${when}.`;
    }
    const who = other ?? 'You';
    return `${who} took this back${when}, so your ${name} was not done again.`;
  }

  function subjectWords(action: Action): string {
    return of(action).subject?.(action).words ?? inline(action.incidentId ?? '', 100);
  }

  function keptAnswer({ action, reason }: Extract<Outcome, { kind: 'kept' }>): SlackMessage {
    const own = of(action).waits?.(action, reason) ?? null;
    const partner = reason === 'planned' ? '' : `${KEPT_REASONS[reason]} `;
    const { blocks } = answer(own ?? `${partner}${keptWords(action)}`);
    const cancel: Button = {
      type: 'button',
      text: plainText('Cancel', LIMITS.buttonText),
      action_id: ANSWER_BUTTONS.cancelPending,
      value: action.id,
    };
    return messageOf([...blocks, { type: 'actions', elements: [cancel] }]);
  }

  function keptWords(action: Action): string {
    const { savedAs, savedUntil } = of(action);
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
      return `The incident service refused the request: it does not offer this, so your ${of(action).name} was not done.`;
    }
    if (reason.kind === 'undo-expired') {
      return `Undo is possible for ten minutes, so nothing was changed. ${stateNow(reason.incident)}`;
    }
    if (reason.kind === 'undo-overtaken') {
      return `Something else happened since, so your ${of(action).takesBack ?? of(action).name} was not undone. ${stateNow(reason.incident)}`;
    }
    if (reason.kind === 'not-allowed') {
      return mayNotAct(reason.why).text;
    }
    if (reason.kind === 'not-assignable') {
      return cannotAssign(reason.whom, reason.why);
    }
    if (reason.kind === 'no-thread') {
      return 'The incident service keeps no notes, and the incident has no card in Slack whose thread could.';
    }
    const detail = reason.detail === null ? '' : `: ${inline(reason.detail, 300)}`;
    return `The incident service refused the request${detail}.`;
  }

  return {
    outcomeAnswer(outcome, open = []) {
      switch (outcome.kind) {
        case 'done':
          return doneAnswer(outcome);
        case 'already':
          return of(outcome.action).already(outcome.action, outcome.incident as Incident); // null only for such kinds
        case 'asked':
          return definitions[outcome.action.kind].asked(outcome);
        case 'void':
          return answer(voidText(outcome), typedIn(outcome.action));
        case 'kept':
          return keptAnswer(outcome);
        case 'refused':
          return answer(refusedText(outcome.reason, outcome.action, open), typedIn(outcome.action));
        default:
          return outcome satisfies never;
      }
    },

    actionKept: (action) =>
      answer(
        `Something went wrong on my side. Your ${of(action).savedAs} is saved, and I'll retry within a minute and let you know.`,
      ),

    cancellationAnswer(cancellation) {
      switch (cancellation.kind) {
        case 'cancelled': {
          const { action } = cancellation;
          return answer(
            `Your ${of(action).name} is cancelled and won't be sent again. If the incident service accepted an earlier attempt, the card will show it.`,
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
    },
  };
}

/** "#6 payments: Closed by ana, 10:02: …" */
function stateNow(incident: Incident): string {
  const state = incident.status === 'closed' ? closedWords(incident) : `${stateSentence(incident)}.`;
  return `${plainHeadline(incident)}: ${state}`;
}

/** Adds a button for the action to the first section. */
export function withButton(
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

export function alreadyClosed(incident: Incident, note: string | null): SlackMessage {
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

/** Shown instead of the resolve form when the incident is already closed. */
export function closedAlready(incident: Incident): SlackMessage {
  return answer(`${plainHeadline(incident)} is already closed. ${closedWords(incident)}`);
}
