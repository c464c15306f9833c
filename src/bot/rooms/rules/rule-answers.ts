import type { KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { RULES_BUTTONS } from './ids.ts';
import type { Rule } from './rule.ts';
import { filterWords } from './rule-words.ts';

const NAMED = 5;
/** Characters reserved for the sentence around the names. */
const SENTENCE_LENGTH = 200;
/** Ids of rules that fit into the value of a button. */
const MOST_RULES = 50;

/** Asks before the rules of a channel are deleted. @param rules at least one */
export function unsubscribeQuestion(rules: readonly Rule[]): SlackMessage {
  const text = `Stop incidents in this channel? This deletes ${plural(rules.length, 'rule')}: ${named(rules)}. Cards that are here stay and are kept up to date.`;
  return withButton(text, {
    type: 'button',
    text: plainText('Stop incidents here', LIMITS.buttonText),
    action_id: RULES_BUTTONS.ruleDeleteAll,
    value: idsOf(rules),
    style: 'danger',
  });
}

/** @param rules at least one */
export function rulesDeleted(rules: readonly Rule[]): SlackMessage {
  const text = `Deleted ${plural(rules.length, 'rule')}: ${named(rules)}. Cards that are here are kept up to date.`;
  return withButton(text, {
    type: 'button',
    text: plainText('Undo', LIMITS.buttonText),
    action_id: RULES_BUTTONS.ruleRestore,
    value: idsOf(rules),
    accessibility_label: 'Undo: bring the deleted rules back',
  });
}

/** @param value of a button that these functions made */
export function readRuleIds(value: string): readonly string[] {
  return value.split(' ').filter((id) => id !== '');
}

function named(rules: readonly Rule[]): string {
  const words = fitting(
    rules.slice(0, NAMED).map(({ filter }) => filterWords(filter)),
    LIMITS.sectionText - SENTENCE_LENGTH,
    '; ',
  );
  const rest = rules.length - words.length;
  return [...words, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}

function idsOf(rules: readonly Rule[]): string {
  return rules
    .slice(0, MOST_RULES)
    .map(({ id }) => id)
    .join(' ');
}

type Button = Extract<Extract<KnownBlock, { type: 'actions' }>['elements'][number], { type: 'button' }>;

function withButton(text: string, button: Button): SlackMessage {
  return messageOf([
    { type: 'section', text: mrkdwn(text) },
    { type: 'actions', elements: [button] },
  ]);
}
