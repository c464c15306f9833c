import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Shift } from '../../../contract/on-call.ts';
import { field, formFrame, option } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { bold, dateToken, inline, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import type { MessageData } from '../../messages/message.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { ON_CALL_BUTTONS, ON_CALL_FORMS, SWAP_FIELDS } from './ids.ts';

const NAME_LENGTH = 80;
const MOST_TURNS = 100;

export interface MyTurn extends Pick<Shift, 'from' | 'to'> {
  readonly schedule: string;
  readonly scheduleId: string;
}

/** @param timeZone of the reader: options of a select have no dates that Slack writes for each reader */
export function swapModal(turns: readonly MyTurn[], timeZone: string): ModalView {
  const times = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  const options = turns.slice(0, MOST_TURNS).map(({ schedule, scheduleId, from, to }) => {
    const label = `${times.format(new Date(from))} to ${times.format(new Date(to))}, ${schedule}`;
    return option(label, [scheduleId, seconds(from), seconds(to)].join(' '));
  });
  return {
    ...formFrame(ON_CALL_FORMS.swap, {}, { title: 'Swap a turn', submit: 'Ask' }),
    blocks: [
      field(SWAP_FIELDS.turn, 'Your turn', { type: 'static_select', action_id: SWAP_FIELDS.turn, options }),
      field(
        SWAP_FIELDS.taker,
        'Whom to ask',
        { type: 'users_select', action_id: SWAP_FIELDS.taker },
        { isOptional: true, hint: 'Empty: everybody in this schedule.' },
      ),
    ],
  };
}

function seconds(at: string): number {
  return Math.floor(Date.parse(at) / 1_000);
}

const Chosen = z.object({
  [SWAP_FIELDS.turn]: z.object({
    [SWAP_FIELDS.turn]: z.object({ selected_option: z.object({ value: z.string().regex(/^\S+ \d+ \d+$/) }) }),
  }),
  [SWAP_FIELDS.taker]: z.object({
    [SWAP_FIELDS.taker]: z.object({ selected_user: z.string().nullish() }),
  }),
});

export interface SwapForm extends Pick<MyTurn, 'scheduleId' | 'from' | 'to'> {
  readonly taker: SlackUserId | null;
}

/** null: it is the form of another version. */
export function parseSwapForm(values: unknown): SwapForm | null {
  const parsed = Chosen.safeParse(values);
  if (!parsed.success) {
    return null;
  }
  const { value } = parsed.data[SWAP_FIELDS.turn][SWAP_FIELDS.turn].selected_option;
  const [scheduleId = '', from, to] = value.split(' ');
  const at = (text: string | undefined) => new Date(Number(text) * 1_000).toISOString();
  const taker = parsed.data[SWAP_FIELDS.taker][SWAP_FIELDS.taker].selected_user ?? null;
  return { scheduleId, from: at(from), to: at(to), taker };
}

/** @param self who reads it */
export function swapMessage(
  swapId: string,
  { schedule, from, to, asker, state, taker = null, undoUntil }: MessageData<'swap'>,
  self: SlackUserId,
  now: Date,
): SlackMessage {
  const turn = `${bold(inline(schedule, NAME_LENGTH))}, ${dateToken(from)} to ${dateToken(to)}`;
  const isMine = taker === self;
  const words = {
    asked: `<@${asker}> asks you to be on call for ${turn}.`,
    taken: isMine
      ? `You take ${turn} from <@${asker}>.`
      : `${taker === null ? 'Somebody' : `<@${taker}>`} takes ${turn} from <@${asker}>.`,
    declined: `Declined: ${turn}, asked by <@${asker}>.`,
    withdrawn: `<@${asker}> does not ask any more: ${turn}.`,
    expired: `Nobody took it in time: ${turn}, asked by <@${asker}>.`,
  }[state];
  const canUndo = state === 'taken' && isMine && undoUntil != null && new Date(undoUntil) > now;
  const buttons: Button[] =
    state === 'asked'
      ? [
          button('Take', ON_CALL_BUTTONS.swapTake, swapId, 'primary'),
          button('Decline', ON_CALL_BUTTONS.swapDecline, swapId),
        ]
      : canUndo
        ? [button('Undo', ON_CALL_BUTTONS.swapUndo, swapId)]
        : [];
  const actions: KnownBlock[] = buttons.length === 0 ? [] : [{ type: 'actions', block_id: 'swap', elements: buttons }];
  return messageOf([{ type: 'section', text: mrkdwn(words) }, ...actions]);
}

function button(text: string, actionId: string, value: string, style?: 'primary'): Button {
  return {
    type: 'button',
    text: plainText(text, LIMITS.buttonText),
    action_id: actionId,
    value,
    ...(style && { style }),
  };
}
