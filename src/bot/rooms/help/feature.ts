import { answers } from '../../listeners/command-handler.ts';
import { TEXT, type Words } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { helpMessage } from './help.ts';

type HelpDeps = ListenerDeps & {
  /** The words of all rooms. */
  readonly words: Words;
};

export const help = {
  words: {
    help: {
      aliases: [],
      takes: TEXT,
      usage: '[command]',
      help: 'shows this help',
      example: '',
      handle: answers((deps, { text }, answer) => answer(helpMessage(deps.words, text))),
    },
  },
} satisfies Feature<HelpDeps>;
