import type { Button } from '@slack/types';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, plainText } from '../../blocks/mrkdwn.ts';
import { WAKE_BUTTONS } from './ids.ts';

/** The path of the API for a test of one way. */
export const TEST_PAGE = 'test';

/** @param value see `wakeValue`. @param label tells it apart from others for screen readers */
export function wakeButton(value: string, label = 'I have it'): Button {
  return {
    type: 'button',
    text: plainText('I have it', LIMITS.buttonText),
    action_id: WAKE_BUTTONS.haveIt,
    value,
    style: 'primary',
    accessibility_label: cut(label, LIMITS.accessibilityLabel),
  };
}

/** @param pageId null: a test */
export function wakeValue(pageId: string | null, attemptId: string): string {
  return `${pageId ?? TEST_PAGE} ${attemptId}`;
}
