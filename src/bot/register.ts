import type { App, SlackShortcut, ViewSubmitAction } from '@slack/bolt';
import { ACTIONS, COMMANDS } from './blocks/ids.ts';
import { FEATURES, type FeatureDeps, WORDS } from './features.ts';
import { type ControlAction, createMenuListener } from './listeners/buttons.ts';
import type { Listener } from './listeners/feature.ts';
import { createTeamCheck } from './listeners/team-check.ts';
import { createUnknownCommandListener, createUnknownListener } from './listeners/unknown.ts';
import { createIncidentsListener } from './rooms/help/incidents-command.ts';

const ANY = /[\s\S]/;

/** The listeners of all rooms. @throws Error if two rooms answer the same id */
export function listenersOf(deps: FeatureDeps) {
  const rooms = FEATURES.flatMap(({ listeners }) => listeners?.(deps) ?? []);
  const buttons = byId(
    'buttons',
    rooms.map((room) => room.buttons),
  );
  buttons.set(ACTIONS.more, createMenuListener(deps, buttons));
  return {
    buttons,
    forms: byId(
      'forms',
      rooms.map((room) => room.forms),
    ),
    shortcuts: byId(
      'shortcuts',
      rooms.map((room) => room.shortcuts),
    ),
    options: byId(
      'options',
      rooms.map((room) => room.options),
    ),
    onMessage: rooms.flatMap(({ onMessage }) => onMessage ?? []),
    onHomeOpened: rooms.flatMap(({ onHomeOpened }) => onHomeOpened ?? []),
    onLinkShared: rooms.flatMap(({ onLinkShared }) => onLinkShared ?? []),
  };
}

/** Registers one Bolt listener per kind of request, because Bolt checks every listener for every request. */
export function registerListeners(app: App, deps: FeatureDeps & Parameters<typeof createTeamCheck>[0]): void {
  const { buttons, forms, shortcuts, options, ...events } = listenersOf(deps);
  app.use(createTeamCheck(deps));
  const commands = new Map([[COMMANDS.incidents as string, createIncidentsListener(deps, WORDS)]]);
  app.command(
    ANY,
    oneOf(commands, ({ command }) => command.command, createUnknownCommandListener(deps)),
  );
  app.action<ControlAction>(
    ANY,
    oneOf(buttons, ({ action }) => action.action_id, createUnknownListener(deps, 'action')),
  );
  app.view<ViewSubmitAction>(
    ANY,
    oneOf(forms, ({ view }) => view.callback_id, createUnknownListener(deps, 'view')),
  );
  app.shortcut<SlackShortcut>(
    ANY,
    oneOf(shortcuts, ({ shortcut }) => shortcut.callback_id, createUnknownListener(deps, 'shortcut')),
  );
  app.options(
    { type: 'block_suggestion' },
    oneOf(
      options,
      ({ payload }) => payload.action_id,
      ({ ack }) => ack({ options: [] }),
    ),
  );
  for (const listener of events.onMessage) {
    app.event('message', listener);
  }
  for (const listener of events.onHomeOpened) {
    app.event('app_home_opened', listener);
  }
  for (const listener of events.onLinkShared) {
    app.event('link_shared', listener);
  }
}

function byId<Args>(what: string, rooms: readonly (Readonly<Record<string, Listener<Args>>> | undefined)[]) {
  const entries = rooms.flatMap((room) => Object.entries(room ?? {}));
  const found = new Map(entries);
  if (found.size < entries.length) {
    throw new Error(`two rooms have ${what} with the same id`);
  }
  return found;
}

/** Dispatches by id; falls back to `unknown`. */
function oneOf<Args>(
  listeners: ReadonlyMap<string, Listener<Args>>,
  idOf: (args: Args) => string,
  unknown: Listener<Args>,
): Listener<Args> {
  return (args) => (listeners.get(idOf(args)) ?? unknown)(args);
}
