import type {
  AllMiddlewareArgs,
  App,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcut,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { createCancelListener } from './act/cancel-button.ts';
import { createAcknowledgeListener, createResolveListener } from './act/card-buttons.ts';
import { createResolveSubmission } from './act/resolve-submission.ts';
import { createLateNoteListener, createResolveAnywayListener, createUndoListener } from './act/undo-button.ts';
import { createUseNoteListener } from './act/use-note-button.ts';
import { createDeclareShortcutListener } from './declare/declare-shortcut.ts';
import { createDeclareSubmission } from './declare/declare-submission.ts';
import { declareServiceOptions, MOST_DECLARE_SERVICES } from './declare/service-options.ts';
import { ACTIONS, COMMANDS, OPTIONS, SHORTCUTS, VIEWS } from './domain/ids.ts';
import { createHomeListener } from './home/app-home.ts';
import { createIncidentsListener } from './incidents-command.ts';
import { type ControlAction, createMenuListener } from './listeners/buttons.ts';
import type { ListenerDeps } from './listeners/deps.ts';
import { createNamesListener } from './listeners/known-names.ts';
import { onLink } from './listeners/link.ts';
import { createMessageListener } from './listeners/message-deleted.ts';
import { createTeamCheck } from './listeners/team-check.ts';
import { createUnknownCommandListener, createUnknownListener } from './listeners/unknown.ts';
import { createAcknowledgeListListener, createListListener, createRowListener } from './lists/list-buttons.ts';
import { createOpenIncidentsListener } from './lists/open-shortcut.ts';
import { createShowListener } from './lists/show-button.ts';
import { createAddNoteListener } from './note/note-shortcut.ts';
import { createNoteSubmission } from './note/note-submission.ts';
import { labelOptions, MOST_LABEL_OPTIONS } from './rules/label-options.ts';
import {
  createRuleAddListener,
  createRuleDeleteListener,
  createRuleEditListener,
  createRuleNarrowListener,
  createRuleRestoreListener,
} from './rules/rule-buttons.ts';
import { createRuleCheckSubmission, createRuleSubmission } from './rules/rule-submission.ts';
import { MOST_SERVICE_OPTIONS, serviceOptions } from './rules/service-options.ts';
import { createSignalListeners } from './signals/signals.ts';
import { createMuteEndListener } from './snooze/mute-command.ts';
import { createMuteSubmission } from './snooze/mute-submission.ts';
import {
  createSnoozeEndListener,
  createSnoozeListener,
  createSnoozeQuestionListener,
} from './snooze/snooze-buttons.ts';
import { createSteerListener } from './steer/steer-command.ts';
import { createSteerSubmission } from './steer/steer-submission.ts';
import { createStormAcknowledgeListener, createStormListListener } from './storm/storm-buttons.ts';
import { createLinkListener } from './unfurl/link-shared.ts';

const ANY = /[\s\S]/;

type Listener<Args> = (args: Args & AllMiddlewareArgs) => Promise<void>;
type Listeners<Ids extends Readonly<Record<string, string>>, Args> = Readonly<Record<Ids[keyof Ids], Listener<Args>>>;

/** Registers one Bolt listener per kind of request, because Bolt checks every listener for every request. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  app.use(createTeamCheck(deps));
  const listStorm = createStormListListener(deps);
  const list = createListListener(deps);
  const snooze = createSnoozeListener(deps);
  const askForSnooze = createSnoozeQuestionListener(deps);
  const endSnooze = createSnoozeEndListener(deps);
  const steer = createSteerListener(deps);
  const signals = createSignalListeners(deps);
  const commands: Listeners<typeof COMMANDS, SlackCommandMiddlewareArgs> = {
    [COMMANDS.incidents]: createIncidentsListener(deps),
  };
  const actions: Listeners<typeof ACTIONS, SlackActionMiddlewareArgs<ControlAction>> = {
    [ACTIONS.acknowledge]: createAcknowledgeListener(deps),
    [ACTIONS.resolve]: createResolveListener(deps),
    [ACTIONS.show]: createShowListener(deps),
    [ACTIONS.steer]: steer,
    [ACTIONS.more]: createMenuListener(deps, {
      [ACTIONS.signals]: signals[ACTIONS.signals],
      [ACTIONS.snooze]: askForSnooze,
      [ACTIONS.snoozeEnd]: endSnooze,
      [ACTIONS.steer]: steer,
    }),
    [ACTIONS.useNote]: createUseNoteListener(deps),
    [ACTIONS.resolveAnyway]: createResolveAnywayListener(deps),
    [ACTIONS.addLateNote]: createLateNoteListener(deps),
    [ACTIONS.undo]: createUndoListener(deps),
    [ACTIONS.cancelPending]: createCancelListener(deps),
    [ACTIONS.listMore]: list,
    [ACTIONS.listBack]: list,
    [ACTIONS.listRefresh]: list,
    [ACTIONS.listRow]: createRowListener(deps),
    [ACTIONS.listAcknowledge]: createAcknowledgeListListener(deps),
    [ACTIONS.stormAcknowledge]: createStormAcknowledgeListener(deps),
    [ACTIONS.stormList]: listStorm,
    [ACTIONS.stormListNext]: listStorm,
    [ACTIONS.stormListPrevious]: listStorm,
    [ACTIONS.linkRunbook]: onLink,
    [ACTIONS.linkGenerator]: onLink,
    [ACTIONS.linkDashboard]: onLink,
    [ACTIONS.linkTrace]: onLink,
    [ACTIONS.snooze]: askForSnooze,
    [ACTIONS.snoozeEnd]: endSnooze,
    [ACTIONS.snoozeHour]: snooze,
    [ACTIONS.snoozeHours]: snooze,
    [ACTIONS.snoozeTomorrow]: snooze,
    [ACTIONS.openDashboard]: onLink,
    ...signals,
    [ACTIONS.muteEnd]: createMuteEndListener(deps),
    [ACTIONS.ruleAdd]: createRuleAddListener(deps),
    [ACTIONS.ruleEdit]: createRuleEditListener(deps),
    [ACTIONS.ruleDelete]: createRuleDeleteListener(deps),
    [ACTIONS.ruleDeleteAll]: createRuleDeleteListener(deps),
    [ACTIONS.ruleRestore]: createRuleRestoreListener(deps),
    [ACTIONS.ruleNarrow]: createRuleNarrowListener(deps),
  };
  const views: Listeners<typeof VIEWS, SlackViewMiddlewareArgs<ViewSubmitAction>> = {
    [VIEWS.resolve]: createResolveSubmission(deps),
    [VIEWS.note]: createNoteSubmission(deps),
    [VIEWS.declare]: createDeclareSubmission(deps),
    [VIEWS.mute]: createMuteSubmission(deps),
    [VIEWS.steer]: createSteerSubmission(deps),
    [VIEWS.rule]: createRuleSubmission(deps),
    [VIEWS.ruleCheck]: createRuleCheckSubmission(deps),
  };
  app.command(
    ANY,
    oneOf(commands, ({ command }) => command.command, createUnknownCommandListener(deps)),
  );
  app.action<ControlAction>(
    ANY,
    oneOf(actions, ({ action }) => action.action_id, createUnknownListener(deps, 'action')),
  );
  app.view<ViewSubmitAction>(
    ANY,
    oneOf(views, ({ view }) => view.callback_id, createUnknownListener(deps, 'view')),
  );
  const shortcuts: Listeners<typeof SHORTCUTS, SlackShortcutMiddlewareArgs<SlackShortcut>> = {
    [SHORTCUTS.openIncidents]: createOpenIncidentsListener(deps),
    [SHORTCUTS.addNote]: createAddNoteListener(deps),
    [SHORTCUTS.declare]: createDeclareShortcutListener(deps),
  };
  app.shortcut<SlackShortcut>(
    ANY,
    oneOf(shortcuts, ({ shortcut }) => shortcut.callback_id, createUnknownListener(deps, 'shortcut')),
  );
  const options: Listeners<typeof OPTIONS, SlackOptionsMiddlewareArgs<'block_suggestion'>> = {
    [OPTIONS.ruleServices]: createNamesListener(deps, 'serviceNames', MOST_SERVICE_OPTIONS, serviceOptions),
    [OPTIONS.ruleLabels]: createNamesListener(deps, 'labelNames', MOST_LABEL_OPTIONS, labelOptions),
    [OPTIONS.serviceName]: createNamesListener(deps, 'serviceNames', MOST_DECLARE_SERVICES, declareServiceOptions),
  };
  app.options(
    { type: 'block_suggestion' },
    oneOf(
      options,
      ({ payload }) => payload.action_id,
      ({ ack }) => ack({ options: [] }),
    ),
  );
  app.event('message', createMessageListener(deps));
  app.event('app_home_opened', createHomeListener(deps));
  app.event('link_shared', createLinkListener(deps));
}

/** Dispatches by id; falls back to `unknown`. */
function oneOf<Args>(
  listeners: Readonly<Record<string, Listener<Args>>>,
  idOf: (args: Args) => string,
  unknown: Listener<Args>,
): Listener<Args> {
  const known = new Map(Object.entries(listeners));
  return (args) => (known.get(idOf(args)) ?? unknown)(args);
}
