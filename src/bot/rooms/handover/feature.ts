import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { handleHandover } from './handover-command.ts';

export const handover: Feature<ListenerDeps> = {
  words: {
    handover: {
      aliases: [],
      takes: { ...NOTHING, filters: ['period'] },
      usage: '[8h]',
      help: 'posts the summary of the shift to this channel',
      example: '',
      handle: handleHandover,
    },
  },
};
