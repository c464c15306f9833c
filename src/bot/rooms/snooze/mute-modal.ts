import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { Repeat } from '../../../incident/repetition.ts';
import { field, formFrame, option, readStored } from '../../blocks/form.ts';
import { code, cut, mrkdwn } from '../../blocks/mrkdwn.ts';
import { MUTE_FIELDS, SNOOZE_FORMS } from './ids.ts';

/** The modal's `private_metadata`. */
const MuteContext = z.object({
  target: z.enum(['service', 'integration']),
  value: z.string().min(1).max(255),
  channelId: z.string().max(64).nullable(),
});
type MuteContext = z.infer<typeof MuteContext>;

const LENGTHS = {
  '30m': '30 minutes',
  '1h': '1 hour',
  '2h': '2 hours',
  '4h': '4 hours',
  '8h': '8 hours',
  '1d': '1 day',
};
const REPEATS = { once: 'Once', day: 'Every day', week: 'Every week' } as const;
const REASON_LENGTH = 200;

/** What was typed already. */
interface MuteDraft {
  /** See `readSnooze`; null: none was typed. */
  readonly time: string | null;
  readonly reason: string;
}

/** The form for planned work on a service. */
export function muteModal(context: MuteContext, { time, reason }: MuteDraft): ModalView {
  const lengths = time === null ? LENGTHS : { [time]: time, ...LENGTHS };
  return {
    ...formFrame(SNOOZE_FORMS.mute, context, { title: 'Planned work', submit: 'Mute' }),
    blocks: [
      {
        type: 'section',
        text: mrkdwn(
          `Incidents of the ${context.target} ${code(context.value, 80)} are listed, without new cards and reminders.`,
        ),
      },
      field(
        MUTE_FIELDS.start,
        'Start',
        { type: 'datetimepicker', action_id: MUTE_FIELDS.start },
        { isOptional: true, hint: 'Empty: now.' },
      ),
      field(MUTE_FIELDS.length, 'For how long', select(MUTE_FIELDS.length, lengths, time ?? '2h')),
      field(MUTE_FIELDS.repeat, 'Repeat', select(MUTE_FIELDS.repeat, REPEATS, 'once')),
      field(MUTE_FIELDS.reason, 'Why', {
        type: 'plain_text_input',
        action_id: MUTE_FIELDS.reason,
        max_length: REASON_LENGTH,
        ...(reason.trim() !== '' && { initial_value: cut(reason.trim(), REASON_LENGTH) }),
      }),
    ],
  };
}

function select(actionId: string, labels: Readonly<Record<string, string>>, chosen: string) {
  const options = Object.entries(labels).map(([value, label]) => option(label, value));
  const initial = options.find(({ value }) => value === chosen);
  return { type: 'static_select' as const, action_id: actionId, options, ...(initial && { initial_option: initial }) };
}

export function parseMuteContext(privateMetadata: string): MuteContext | null {
  return readStored(MuteContext, privateMetadata);
}

const chosen = z.object({ selected_option: z.object({ value: z.string() }) });
const State = z.object({
  [MUTE_FIELDS.start]: z.object({
    [MUTE_FIELDS.start]: z.object({ selected_date_time: z.number().nullish() }),
  }),
  [MUTE_FIELDS.length]: z.object({ [MUTE_FIELDS.length]: chosen }),
  [MUTE_FIELDS.repeat]: z.object({ [MUTE_FIELDS.repeat]: chosen }),
  [MUTE_FIELDS.reason]: z.object({ [MUTE_FIELDS.reason]: z.object({ value: z.string().nullish() }) }),
});

interface MuteForm {
  /** null: now. */
  readonly startsAt: Date | null;
  /** See `endOfSnooze`. */
  readonly time: string;
  readonly every: Repeat | null;
  readonly reason: string;
}

/** @returns null: the form is out of date */
export function parseMuteForm(stateValues: unknown): MuteForm | null {
  const state = State.safeParse(stateValues).data;
  if (state === undefined) {
    return null;
  }
  const start = state[MUTE_FIELDS.start][MUTE_FIELDS.start].selected_date_time ?? null;
  const repeat = state[MUTE_FIELDS.repeat][MUTE_FIELDS.repeat].selected_option.value;
  return {
    startsAt: start === null ? null : new Date(start * 1_000),
    time: state[MUTE_FIELDS.length][MUTE_FIELDS.length].selected_option.value,
    every: repeat === 'day' || repeat === 'week' ? repeat : null,
    reason: (state[MUTE_FIELDS.reason][MUTE_FIELDS.reason].value ?? '').trim(),
  };
}
