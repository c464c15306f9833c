import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { LISTS_BUTTONS, LISTS_SHORTCUTS } from './ids.ts';
import { createAcknowledgeListListener, createListListener, createRowListener } from './list-buttons.ts';
import { handleShow, listOf } from './list-commands.ts';
import { createListKind } from './list-kind.ts';
import { LIST_WORDS } from './list-words.ts';
import { createOpenIncidentsListener } from './open-shortcut.ts';
import type { ListsDeps } from './show.ts';
import { createShowListener } from './show-button.ts';

export const lists = {
  words: {
    open: { ...LIST_WORDS.open, handle: listOf('open') },
    closed: { ...LIST_WORDS.closed, handle: listOf('closed') },
    mine: { ...LIST_WORDS.mine, handle: listOf('mine') },
    show: {
      aliases: [],
      takes: { ...NOTHING, references: 'one' },
      usage: '<#number, id or service>',
      help: 'shows one incident with its signals',
      example: '#142',
      handle: handleShow,
    },
  },
  listeners: (deps) => {
    const list = createListListener(deps);
    return {
      buttons: {
        [ACTIONS.show]: createShowListener(deps),
        [LISTS_BUTTONS.listMore]: list,
        [LISTS_BUTTONS.listBack]: list,
        [LISTS_BUTTONS.listRefresh]: list,
        [LISTS_BUTTONS.listRow]: createRowListener(deps),
        [LISTS_BUTTONS.listAcknowledge]: createAcknowledgeListListener(deps),
      },
      shortcuts: { [LISTS_SHORTCUTS.openIncidents]: createOpenIncidentsListener(deps) },
    };
  },
  messages: (deps: Needs<typeof createListKind>) => ({ list: createListKind(deps) }),
} satisfies Feature<ListsDeps>;
