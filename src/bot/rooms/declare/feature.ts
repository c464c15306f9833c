import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { createNamesListener } from '../../listeners/known-names.ts';
import { DECLARE_ACTIONS } from './actions.ts';
import { handleDeclare } from './declare-command.ts';
import { createDeclareKind } from './declare-kind.ts';
import { createDeclareShortcutListener } from './declare-shortcut.ts';
import { createDeclareSubmission } from './declare-submission.ts';
import { DECLARE_FORMS, DECLARE_OPTIONS, DECLARE_SHORTCUTS } from './ids.ts';
import { declareServiceOptions, MOST_DECLARE_SERVICES } from './service-options.ts';

export const declare = {
  words: {
    declare: {
      aliases: ['new', 'create'],
      takes: { ...NOTHING, references: 'list', hasText: true },
      usage: '[<service> <what fails>]',
      help: 'opens an incident by hand; without a text, a form opens',
      example: 'payments cards are refused',
      handle: handleDeclare,
    },
  },
  listeners: (deps) => ({
    shortcuts: { [DECLARE_SHORTCUTS.declare]: createDeclareShortcutListener(deps) },
    forms: { [DECLARE_FORMS.declare]: createDeclareSubmission(deps) },
    options: {
      [DECLARE_OPTIONS.serviceName]: createNamesListener(
        deps,
        deps.store.serviceNames,
        MOST_DECLARE_SERVICES,
        declareServiceOptions,
      ),
    },
  }),
  actions: {
    definitions: DECLARE_ACTIONS,
    kinds: (deps: Needs<typeof createDeclareKind>) => ({ declare: createDeclareKind(deps) }),
  },
} satisfies Feature<ListenerDeps>;
