import type { ActionKind } from '../domain/action.ts';

/** What a person asked for, in the middle of a sentence. */
export const ACTION_WORDS: Readonly<Record<ActionKind, string>> = {
  acknowledge: 'acknowledgement',
  resolve: 'resolution',
  unacknowledge: 'undo of an acknowledgement',
  reopen: 'reopening',
  snooze: 'snooze',
  unsnooze: 'end of a snooze',
  note: 'note',
  mute: 'mute',
  unmute: 'end of a mute',
};
