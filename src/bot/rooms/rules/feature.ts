import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import { createNamesListener } from '../../listeners/known-names.ts';
import { RULES_BUTTONS, RULES_FORMS, RULES_OPTIONS } from './ids.ts';
import { labelOptions, MOST_LABEL_OPTIONS } from './label-options.ts';
import type { RulesDeps } from './permission.ts';
import {
  createRuleAddListener,
  createRuleDeleteListener,
  createRuleEditListener,
  createRuleNarrowListener,
  createRuleRestoreListener,
} from './rule-buttons.ts';
import { handleRules, handleSubscribe, handleUnsubscribe } from './rule-commands.ts';
import { createRuleCheckSubmission, createRuleSubmission } from './rule-submission.ts';
import { MOST_SERVICE_OPTIONS, serviceOptions } from './service-options.ts';

export const rules = {
  words: {
    subscribe: {
      aliases: [],
      takes: { ...NOTHING, filters: ['service', 'severity', 'label'] },
      usage: '[service:<name>] [severity:<word>] [team:<name>]',
      help: 'opens the form that sends incidents to this channel',
      example: 'team:payments',
      handle: handleSubscribe,
    },
    unsubscribe: {
      aliases: [],
      takes: NOTHING,
      usage: '',
      help: 'stops incidents in this channel, after a question',
      example: '',
      handle: handleUnsubscribe,
    },
    rules: {
      aliases: [],
      takes: NOTHING,
      usage: '',
      help: 'shows who is told about what',
      example: '',
      handle: handleRules,
    },
  },
  listeners: (deps) => ({
    buttons: {
      [RULES_BUTTONS.ruleAdd]: createRuleAddListener(deps),
      [RULES_BUTTONS.ruleEdit]: createRuleEditListener(deps),
      [RULES_BUTTONS.ruleDelete]: createRuleDeleteListener(deps),
      [RULES_BUTTONS.ruleDeleteAll]: createRuleDeleteListener(deps),
      [RULES_BUTTONS.ruleRestore]: createRuleRestoreListener(deps),
      [RULES_BUTTONS.ruleNarrow]: createRuleNarrowListener(deps),
    },
    forms: {
      [RULES_FORMS.rule]: createRuleSubmission(deps),
      [RULES_FORMS.ruleCheck]: createRuleCheckSubmission(deps),
    },
    options: {
      [RULES_OPTIONS.ruleServices]: createNamesListener(
        deps,
        deps.store.serviceNames,
        MOST_SERVICE_OPTIONS,
        serviceOptions,
      ),
      [RULES_OPTIONS.ruleLabels]: createNamesListener(deps, deps.store.labelNames, MOST_LABEL_OPTIONS, labelOptions),
    },
  }),
} satisfies Feature<RulesDeps>;
