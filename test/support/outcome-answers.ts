import { createOutcomeAnswers, type OutcomeAnswers } from '../../src/bot/actions/outcome-answers.ts';
import { ACTION_DEFINITIONS } from '../../src/bot/features.ts';

/** What people are told by the bot, with the words of all rooms. */
export const ANSWERS = createOutcomeAnswers(ACTION_DEFINITIONS);

export const outcomeAnswer: OutcomeAnswers['outcomeAnswer'] = (...outcome) => ANSWERS.outcomeAnswer(...outcome);
