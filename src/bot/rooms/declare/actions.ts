import { z } from 'zod';
import { Severity } from '../../../contract/resources.ts';
import type { ActionDefinitions } from '../../actions/definition.ts';
import { answer } from '../../blocks/answer.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { code, inline } from '../../blocks/mrkdwn.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import { isSameText } from '../../slack/same-text.ts';

const DATA = {
  declare: z.object({ title: z.string(), service: z.string(), severity: Severity, note: z.string().nullable() }),
};

declare module '../../actions/action.ts' {
  interface ActionTypes {
    declare: { on: 'nothing'; data: z.infer<typeof DATA.declare> };
  }
}

export const DECLARE_ACTIONS: Pick<ActionDefinitions, 'declare'> = {
  declare: {
    data: DATA.declare,
    undoneBy: null,
    isThere: () => false,
    name: 'declaration',
    savedAs: 'declaration',
    undone: null,
    done: ({ title }, incident) =>
      isSameText(incident.title ?? title, title)
        ? answer(
            `🚨 You declared ${plainHeadline(incident)}. Its card comes to the channels whose rules match; \`${COMMANDS.incidents} rules\` shows them. What fails in ${code(incident.root_service, 80)} from now on joins it.`,
          )
        : answer(
            `🚨 Your declaration “${inline(title, 300)}” joined ${plainHeadline(incident)}, which is open already. \`${COMMANDS.incidents} show\` has both.`,
          ),
    already: (_action, incident) => answer(`${plainHeadline(incident)} is open already.`),
    typed: ({ title, note }) => (note === null ? title : `${title}\n${note}`),
    subject: ({ title, service }) => ({ words: inline(title, 100), logged: `${service}: ${title}` }),
    // The first one may have arrived without an answer. The service takes both as one incident.
    again: (subject, when) =>
      `You declared “${subject}” again${when}, so this one was not sent again. There is one incident for both.`,
  },
};
