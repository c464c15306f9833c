import { z } from 'zod';
import type { Incident } from '../../../contract/resources.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { alreadyClosed, closedWords, withButton } from '../../actions/outcome-answers.ts';
import { AS_TYPED, answer } from '../../blocks/answer.ts';
import { GOES_ON } from '../../incident/further-words.ts';
import { isClosed, isFailing } from '../../incident/incident.ts';
import { acknowledgedWords, at, plainHeadline } from '../../incident/incident-words.ts';
import type { ActionId } from '../../slack/identifiers.ts';
import { isSameText } from '../../slack/same-text.ts';
import { ACT_BUTTONS } from './ids.ts';
import { stillFiringWords } from './resolve-modal.ts';

/** Id of the action that is undone. */
const UNDOES: z.ZodType<ActionId> = z.string();

const DATA = {
  acknowledge: z.object({}),
  /**
   * `asksFirst`: ask the person again if the incident still fails. `isNoProblem`: it was not a problem, so the service is
   * to learn from it. The note is exactly as typed.
   */
  resolve: z.object({ note: z.string(), asksFirst: z.boolean(), isNoProblem: z.boolean().default(false) }),
  /** Takes back an acknowledgement. */
  unacknowledge: z.object({ undoes: UNDOES }),
  /** Takes back a closing. `note` is the one of the closing. */
  reopen: z.object({ undoes: UNDOES, note: z.string() }),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    acknowledge: { on: 'incident'; data: object };
    resolve: { on: 'incident'; data: z.infer<typeof DATA.resolve> };
    unacknowledge: { on: 'incident'; data: z.infer<typeof DATA.unacknowledge> };
    reopen: { on: 'incident'; data: z.infer<typeof DATA.reopen> };
  }
}

export const ACT_ACTIONS: Pick<ActionDefinitions, 'acknowledge' | 'resolve' | 'unacknowledge' | 'reopen'> = {
  acknowledge: {
    data: DATA.acknowledge,
    undoneBy: 'unacknowledge',
    isThere: (incident) => isClosed(incident) || isAcknowledged(incident),
    doneAt: (incident) => (isClosed(incident) ? null : (incident.acknowledged_at ?? null)),
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
  },
  resolve: {
    data: DATA.resolve,
    undoneBy: 'reopen',
    isThere: isClosed,
    doneAt: (incident) => (isClosed(incident) ? (incident.closed_at ?? null) : null),
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
    /** Offers to add the note of somebody who closed second to the timeline. */
    already: (action, incident) => {
      const message = alreadyClosed(incident, action.note);
      const isLate = isClosed(incident) && !isSameText(incident.resolution_note ?? '', action.note);
      return isLate
        ? withButton(message, { label: 'Add to the timeline', actionId: ACT_BUTTONS.addLateNote, incident, action })
        : message;
    },
    typed: ({ note }) => note,
    asked: ({ action, incident, stillFiring }) => {
      const what = stillFiring === null ? '' : ` ${stillFiringWords(stillFiring)}`;
      const goesOn = isFailing(incident) ? ` ${GOES_ON}` : '';
      const message = answer(
        `⚠️ ${plainHeadline(incident)} is *still failing*, so it was not closed.${what}${goesOn} Resolve anyway?`,
        action.note,
        AS_TYPED,
      );
      return withButton(message, { label: 'Resolve anyway', actionId: ACT_BUTTONS.resolveAnyway, incident, action });
    },
  },
  unacknowledge: {
    data: DATA.unacknowledge,
    undoneBy: null,
    isThere: (incident) => !isClosed(incident) && !isAcknowledged(incident),
    name: 'undo of an acknowledgement',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: 'acknowledged',
    takesBack: 'acknowledgement',
    done: (_action, incident) =>
      answer(`↩️ You took back your acknowledgement of ${plainHeadline(incident)}. Nobody has taken it now.`),
    already: (_action, incident) =>
      answer(`Nobody has acknowledged ${plainHeadline(incident)}, so nothing was changed.`),
  },
  reopen: {
    data: DATA.reopen,
    undoneBy: null,
    isThere: (incident) => !isClosed(incident),
    name: 'reopening',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: 'closed',
    takesBack: 'closing',
    done: ({ note }, incident) =>
      answer(`↩️ You opened ${plainHeadline(incident)} again. Its resolution note was removed.`, note, AS_TYPED),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is open already, so nothing was changed.`),
  },
};

function taughtWords({ not_a_problem: isLearnt }: Incident): string {
  return isLearnt === true
    ? '\n🎓 Not a problem: the same evidence there has to be clearly stronger from now on to open an incident. An outage always opens one. Undo takes this back.'
    : '\nThe incident service did not take it as “not a problem”, so it learnt nothing.';
}
