import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { REGROUP_ACTIONS } from './actions.ts';
import { REGROUP_FORMS } from './ids.ts';
import { createMergeListener, createMergeSubmission } from './merge-form.ts';
import { createSplitListener, handleMerge, handleSplit } from './regroup-commands.ts';
import { createMergeKind, createSplitKind, type RegroupDeps } from './regroup-kinds.ts';

export const regroup = {
  words: {
    merge: {
      aliases: [],
      takes: { ...NOTHING, references: 'many' },
      usage: '<#number, id or service> … [into <#number, id or service>]',
      help: 'makes incidents part of the last one, which goes on; with one incident, a form asks for the other',
      example: '#143 into #142',
      handle: handleMerge,
    },
    split: {
      aliases: [],
      takes: { ...NOTHING, references: 'many' },
      usage: '<#number or id> …',
      help: 'makes a merged incident one of its own again',
      example: '#143',
      handle: handleSplit,
    },
  },
  listeners: (deps) => ({
    buttons: { [ACTIONS.merge]: createMergeListener(deps), [ACTIONS.split]: createSplitListener(deps) },
    forms: { [REGROUP_FORMS.merge]: createMergeSubmission(deps) },
  }),
  actions: {
    definitions: REGROUP_ACTIONS,
    kinds: (deps: RegroupDeps) => ({ merge: createMergeKind(deps), split: createSplitKind(deps) }),
  },
} satisfies Feature<ListenerDeps>;
