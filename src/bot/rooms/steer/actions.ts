import { z } from 'zod';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { answer } from '../../blocks/answer.ts';
import { code, inline } from '../../blocks/mrkdwn.ts';
import { byName } from '../../blocks/people-words.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { ActionId } from '../../slack/identifiers.ts';
import { NamedPeople, SetByHand } from './set-by-hand.ts';

const DATA = {
  /**
   * `people`: those who are to be set, by their id in Slack or as `@name`; what the service calls them is looked up when it
   * is sent. `before`: what was set by hand until then, for the undo.
   */
  steer: z.object({ set: SetByHand, people: NamedPeople.default({}), before: SetByHand }),
  unsteer: z.object({ undoes: z.string() as z.ZodType<ActionId>, set: SetByHand, before: SetByHand }),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    steer: { on: 'incident'; data: z.infer<typeof DATA.steer> };
    unsteer: { on: 'incident'; data: z.infer<typeof DATA.unsteer> };
  }
}

export const STEER_ACTIONS: Pick<ActionDefinitions, 'steer' | 'unsteer'> = {
  steer: {
    data: DATA.steer,
    undoneBy: 'unsteer',
    isThere: () => false, // what is set by hand is compared field by field, see `isSet`
    doneAt: ({ updated_at: at, opened_at }) => at ?? opened_at,
    name: 'change',
    savedAs: 'change',
    undone: null,
    done: ({ set, before }, incident) =>
      answer(`✏️ You changed ${plainHeadline(incident)}: ${changeWords(set, before)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is so already, so nothing was changed.`),
    typed: ({ set }) => set.title ?? null,
  },
  unsteer: {
    data: DATA.unsteer,
    undoneBy: null,
    isThere: () => false,
    name: 'undo of a change',
    savedAs: 'undo',
    savedUntil: 'if the service accepts it within ten minutes of your action',
    undone: null,
    takesBack: 'change',
    done: ({ set }, incident) =>
      answer(`↩️ You took back your change of ${plainHeadline(incident)}: ${changeWords(set)}.`),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is so already, so nothing was changed.`),
  },
};

/** "title “…”, lead Ben instead of Ana". @param before what was set by hand */
export function changeWords(set: SetByHand, before: SetByHand = {}): string {
  const { title, severity, root_service: root, lead, communications } = set;
  const field = (name: string, value: string | null | undefined, none: string) =>
    value === undefined ? '' : value === null ? `${name} ${none}` : `${name} ${value}`;
  const role = (name: 'lead' | 'communications', is: string | null | undefined) => {
    const was = before[name] ?? null;
    const instead = was === null || was === is ? '' : ` instead of ${byName(was)}`;
    return is === undefined ? '' : `${field(name, is === null ? is : byName(is), 'nobody')}${instead}`;
  };
  return [
    field('title', title == null ? title : `“${inline(title, 200)}”`, 'as the service finds it'),
    field('severity', severity, 'as the service finds it'),
    field('root', root == null ? root : code(root, 80), 'as the service finds it'),
    role('lead', lead),
    role('communications', communications),
  ]
    .filter((words) => words !== '')
    .join(', ');
}
