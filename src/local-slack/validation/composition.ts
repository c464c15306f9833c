import { LIMITS } from '../limits.ts';
import { boolean, byType, type Check, list, object, oneOf, string } from './check.ts';

export function plainText(max: number): Check {
  return byType({ plain_text: object({ type: string({ max: 20 }), text: string({ max }) }, { emoji: boolean }) });
}

/** plain_text or mrkdwn. */
export function anyText(max: number): Check {
  return byType({
    plain_text: object({ type: string({ max: 20 }), text: string({ max }) }, { emoji: boolean }),
    mrkdwn: object({ type: string({ max: 20 }), text: string({ max }) }, { verbatim: boolean }),
  });
}

export const confirm = object(
  {
    title: plainText(LIMITS.confirmTitle),
    text: anyText(LIMITS.confirmText),
    confirm: plainText(LIMITS.confirmButton),
    deny: plainText(LIMITS.confirmButton),
  },
  { style: oneOf('primary', 'danger') },
);

export const placeholder = plainText(LIMITS.placeholder);

const optionFields = { text: plainText(LIMITS.optionText), value: string({ max: LIMITS.optionValue }) };

export const plainOption = object(optionFields, { description: plainText(LIMITS.optionDescription) });

export const overflowOption = object(optionFields, {
  description: plainText(LIMITS.optionDescription),
  url: string({ max: LIMITS.buttonUrl }),
});

/** Of checkboxes and radio buttons: these may hold mrkdwn. */
export const richOption = object(
  { text: anyText(LIMITS.optionText), value: string({ max: LIMITS.optionValue }) },
  { description: anyText(LIMITS.optionDescription) },
);

export const optionGroup = object({
  label: plainText(LIMITS.optionText),
  options: list(plainOption, { max: LIMITS.options }),
});

export const dispatchActionConfig = object(
  {},
  { trigger_actions_on: list(oneOf('on_enter_pressed', 'on_character_entered'), { max: 2 }) },
);
