import { z } from 'zod';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { answer } from '../../blocks/answer.ts';
import { plainHeadline } from '../../incident/incident-words.ts';

const DATA = {
  note: z.object({ note: z.string() }),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    note: { on: 'incident'; data: z.infer<typeof DATA.note> };
  }
}

export const NOTE_ACTIONS: Pick<ActionDefinitions, 'note'> = {
  note: {
    data: DATA.note,
    undoneBy: null,
    isThere: () => false,
    name: 'note',
    savedAs: 'note',
    undone: null,
    done: (_action, incident, outcome) =>
      'isInThread' in outcome && outcome.isInThread === true
        ? answer(
            `📝 The incident service keeps no notes, so your note is a reply in the thread of ${plainHeadline(incident)}.`,
          )
        : answer(`📝 Your note was added to the timeline of ${plainHeadline(incident)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} has that note already.`),
    typed: ({ note }) => note,
  },
};
