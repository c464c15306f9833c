import { LIMITS } from '../limits.ts';
import { boolean, byType, type Check, isFields, list, object, oneOf, string } from './check.ts';

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

/** Options of checkboxes and radio buttons, which may use mrkdwn. */
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

/** A file on Slack, by either id or url. */
export const slackFile: Check = (value, pointer, report) => {
  object({}, { id: string({ max: 255 }), url: string({ max: LIMITS.imageUrl }) })(value, pointer, report);
  if (isFields(value) && (value.id === undefined) === (value.url === undefined)) {
    report({ pointer, message: 'must provide either id or url' });
  }
};

export const conversationFilter: Check = (value, pointer, report) => {
  const fields = {
    include: list(oneOf('im', 'mpim', 'private', 'public'), { max: 4 }),
    exclude_external_shared_channels: boolean,
    exclude_bot_users: boolean,
  };
  object({}, fields)(value, pointer, report);
  if (isFields(value) && Object.keys(value).length === 0) {
    report({ pointer, message: 'must provide at least one of include, exclude_bot_users' });
  }
};
