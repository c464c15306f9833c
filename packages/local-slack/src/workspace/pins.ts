import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Message } from './model.ts';
import type { Workspace } from './workspace.ts';

/** @throws SlackError already_pinned, too_many_pins */
export function pinMessage(workspace: Workspace, message: Message, pin: { by: string; at: Date }): void {
  if (message.pin !== null) {
    throw new SlackError('already_pinned');
  }
  if (countPins(workspace, message.channel) >= LIMITS.pins) {
    throw new SlackError('too_many_pins');
  }
  const { by, at } = pin;
  const pinned = { by, pinnedAt: Math.floor(at.getTime() / 1000) };
  workspace.changeMessage(message.channel, message.ts, (before) => ({ ...before, pin: pinned }), by);
}

/** @throws SlackError no_pin */
export function unpinMessage(workspace: Workspace, message: Message, by: string): void {
  if (message.pin === null) {
    throw new SlackError('no_pin');
  }
  workspace.changeMessage(message.channel, message.ts, (before) => ({ ...before, pin: null }), by);
}

export function countPins(workspace: Workspace, channelId: string): number {
  return workspace.messages(channelId).filter(({ pin }) => pin !== null).length;
}
