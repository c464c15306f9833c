import { presentMessage } from '../workspace/present.ts';
import type { MessageChange } from '../workspace/workspace-change.ts';
import type { AppEvent } from './subscriptions.ts';

/** The event for a pin that a change of a message added or removed. */
export function pinEvents({ before, after, by }: MessageChange, count: number, ts: string): AppEvent[] {
  const pin = after.pin ?? before.pin;
  if (pin === null || (before.pin === null) === (after.pin === null)) {
    return [];
  }
  const subscription = after.pin === null ? 'pin_removed' : 'pin_added';
  const event = {
    type: subscription,
    user: by ?? pin.by,
    channel_id: after.channel,
    item: {
      type: 'message',
      channel: after.channel,
      created: pin.pinnedAt,
      created_by: pin.by,
      message: presentMessage(after, { withMetadata: false }),
    },
    item_user: after.user,
    pin_count: String(count),
    pinned_info: { channel: after.channel, pinned_by: pin.by, pinned_ts: pin.pinnedAt },
    ...(subscription === 'pin_removed' && { has_pins: count > 0 }),
    event_ts: ts,
  };
  return [{ subscription, scope: 'pins:read', event }];
}
