import { z } from 'zod';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { alreadyClosed } from '../../actions/outcome-answers.ts';
import { answer } from '../../blocks/answer.ts';
import { inline } from '../../blocks/mrkdwn.ts';
import { isClosed } from '../../incident/incident.ts';
import { plainHeadline } from '../../incident/incident-words.ts';

const DATA = {
  /** `into`: id of the incident that goes on. `reference`: what people call that. */
  merge: z.object({ into: z.string(), reference: z.string() }),
  split: z.object({}),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    merge: { on: 'incident'; data: z.infer<typeof DATA.merge> };
    split: { on: 'incident'; data: object };
  }
}

export const REGROUP_ACTIONS: Pick<ActionDefinitions, 'merge' | 'split'> = {
  merge: {
    data: DATA.merge,
    undoneBy: 'split',
    isThere: isClosed,
    doneAt: (incident) => (isClosed(incident) ? (incident.closed_at ?? null) : null),
    name: 'merge',
    savedAs: 'merge',
    undone: 'open',
    done: ({ reference }, incident) =>
      answer(`🔗 You made ${plainHeadline(incident)} part of ${inline(reference, 100)}. Its signals count there now.`),
    already: (_action, incident) => alreadyClosed(incident, null),
  },
  split: {
    data: DATA.split,
    undoneBy: null,
    isThere: (incident) => !isClosed(incident),
    name: 'split',
    savedAs: 'split',
    undone: 'closed',
    takesBack: 'merge',
    done: (_action, incident) =>
      answer(`✂️ You split off ${plainHeadline(incident)}: it is open again, with its own signals.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is open already, so nothing was changed.`),
  },
};
