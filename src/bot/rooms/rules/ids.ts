/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const RULES_BUTTONS = {
  ruleAdd: 'rule_add',
  ruleEdit: 'rule_edit',
  ruleDelete: 'rule_delete',
  ruleDeleteAll: 'rule_delete_all',
  ruleRestore: 'rule_restore',
  ruleNarrow: 'rule_narrow',
} as const;
export const RULES_FORMS = { rule: 'rule_modal', ruleCheck: 'rule_check_modal' } as const;
export const RULES_OPTIONS = { ruleServices: 'rule_services', ruleLabels: 'rule_labels' } as const;
