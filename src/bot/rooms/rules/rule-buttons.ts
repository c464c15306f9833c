import { answer as sentence } from '../../blocks/answer.ts';
import type { Answer } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import type { ButtonArgs } from '../../listeners/buttons.ts';
import { toClick } from '../../listeners/buttons.ts';
import { openRuleForm, ruleChannel } from './open-rule-form.ts';
import type { RulesDeps } from './permission.ts';
import { answeringRuleMakers } from './permission.ts';
import { readRuleIds, rulesDeleted } from './rule-answers.ts';
import { readRulesReport, recordRuleChange } from './rule-commands.ts';
import { filterWords } from './rule-words.ts';

function onRuleClick(deps: RulesDeps, react: (click: ReturnType<typeof toClick>, answer: Answer) => Promise<void>) {
  return async (args: ButtonArgs): Promise<void> => {
    await args.ack();
    const click = toClick(args);
    await answeringRuleMakers(deps, click, args.respond, (answer) => react(click, answer));
  };
}

export function createRuleAddListener(deps: RulesDeps) {
  return onRuleClick(deps, (click, answer) => openRuleForm(deps, click, click.triggerId, null, answer));
}

export function createRuleEditListener(deps: RulesDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const rule = await deps.store.rules.find(click.value);
    return rule === null ? answer(outdatedControl()) : openRuleForm(deps, click, click.triggerId, rule, answer);
  });
}

/** Opens the form with the narrower filter that the noise report proposes. */
export function createRuleNarrowListener(deps: RulesDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const { rules, proposal } = await readRulesReport(deps, await ruleChannel(deps, click));
    if (proposal === null) {
      return answer(outdatedControl());
    }
    const [only] = rules;
    const prefilled = rules.length === 1 && only !== undefined ? { ...only, filter: proposal.filter } : proposal;
    return openRuleForm(deps, click, click.triggerId, prefilled, answer);
  });
}

/** Deletes one rule, or all of a channel. */
export function createRuleDeleteListener(deps: RulesDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const deleted = await deps.store.rules.delete(readRuleIds(click.value));
    if (deleted.length === 0) {
      return answer(sentence('That is deleted already.'));
    }
    await recordRuleChange(deps, click, 'delete rule', deleted.length);
    await answer(rulesDeleted(deleted));
  });
}

/** "Undo" after a rule was deleted. */
export function createRuleRestoreListener(deps: RulesDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const restored = await deps.store.rules.restore(readRuleIds(click.value));
    if (restored.length === 0) {
      return answer(
        sentence('Nothing was changed: the rules are back already, or were deleted more than 30 days ago.'),
      );
    }
    await recordRuleChange(deps, click, 'restore rule', restored.length);
    await answer(sentence(`Back: ${restored.map(({ filter }) => filterWords(filter)).join('; ')}.`));
  });
}
