import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import { createRoomListener, handleRoom, type RoomDeps } from './room-command.ts';

export const room = {
  words: {
    room: {
      aliases: ['channel'],
      takes: { ...NOTHING, references: 'many' },
      usage: '[<#number, id or service>] [private]',
      help: 'makes a channel for one incident, with its card, its links and those who work on it',
      example: '#142',
      handle: handleRoom,
    },
  },
  listeners: (deps) => ({
    buttons: { [ACTIONS.room]: createRoomListener(deps) },
  }),
} satisfies Feature<RoomDeps>;
