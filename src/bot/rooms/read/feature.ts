import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import { READ_BUTTONS } from './ids.ts';
import { createReadStartListener, createReadStopListener, handleRead, type ReadDeps } from './read-command.ts';
import { createReadListener } from './read-listener.ts';

export const read = {
  words: {
    read: {
      aliases: [],
      takes: NOTHING,
      usage: '',
      help: 'makes the messages that another app posts in this channel failures',
      example: '',
      handle: handleRead,
    },
  },
  listeners: (deps) => ({
    buttons: {
      [READ_BUTTONS.start]: createReadStartListener(deps),
      [READ_BUTTONS.stop]: createReadStopListener(deps),
    },
    onMessage: createReadListener(deps),
  }),
} satisfies Feature<ReadDeps>;
