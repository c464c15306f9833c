import type { App } from '@slack/bolt';
import { ACTIONS, COMMANDS, SHORTCUTS, VIEWS } from '../ids.ts';
import {
  createAcknowledgeListener,
  createMoreListener,
  createResolveListener,
  createShowListener,
} from './actions/buttons.ts';
import { createCancelListener } from './actions/cancel.ts';
import { createStormAcknowledgeListener, createStormListListener } from './actions/storm.ts';
import { createUseNoteListener } from './actions/use-note.ts';
import { createIncidentsListener } from './commands/incidents.ts';
import type { ListenerDeps } from './deps.ts';
import { anyBut, createUnknownCommandListener, createUnknownListener } from './unknown.ts';
import { createResolveSubmission } from './views/resolve.ts';

/** The App's methods that take listeners. */
export type ListenerRegistry = Pick<App, 'action' | 'command' | 'shortcut' | 'view'>;

export function registerListeners(app: ListenerRegistry, deps: ListenerDeps): void {
  app.command(COMMANDS.incidents, createIncidentsListener(deps));
  app.action(ACTIONS.acknowledge, createAcknowledgeListener(deps));
  app.action(ACTIONS.resolve, createResolveListener(deps));
  app.action(ACTIONS.show, createShowListener(deps));
  app.action(ACTIONS.useNote, createUseNoteListener(deps));
  app.action(ACTIONS.cancelPending, createCancelListener(deps));
  app.action(ACTIONS.listMore, createMoreListener(deps));
  app.action(ACTIONS.stormAcknowledge, createStormAcknowledgeListener(deps));
  for (const id of [ACTIONS.stormList, ACTIONS.stormListNext, ACTIONS.stormListPrevious]) {
    app.action(id, createStormListListener(deps));
  }
  app.view(VIEWS.resolve, createResolveSubmission(deps));

  app.command(anyBut(Object.values(COMMANDS)), createUnknownCommandListener(deps));
  app.action(anyBut(Object.values(ACTIONS)), createUnknownListener(deps, 'action'));
  app.view(anyBut(Object.values(VIEWS)), createUnknownListener(deps, 'view'));
  app.shortcut(anyBut(Object.values(SHORTCUTS)), createUnknownListener(deps, 'shortcut'));
}
