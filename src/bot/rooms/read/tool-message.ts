import { z } from 'zod';
import type { ChannelId } from '../../slack/identifiers.ts';

/** A message that an app posted. */
export interface ToolMessage {
  readonly channelId: ChannelId;
  readonly botId: string;
  readonly botName: string;
  /** It identifies the message within its channel. */
  readonly ts: string;
  /** When it was last edited, or posted; later ones are greater. */
  readonly saidAt: string;
  /** The message whose thread it is in; null: none. */
  readonly threadTs: string | null;
  /** As Slack has it. */
  readonly message: unknown;
}

/** Seconds and microseconds, so that they sort as texts. */
const Ts = z.string().regex(/^\d{1,12}\.\d{6}$/);
const Name = z.object({ name: z.string() }).nullish().catch(null);
const Posted = z.object({
  bot_id: z.string().min(1),
  ts: Ts,
  thread_ts: Ts.nullish(),
  edited: z.object({ ts: Ts }).nullish().catch(null),
  username: z.string().nullish().catch(null),
  bot_profile: Name,
});
const MessageEvent = z.object({ subtype: z.string().optional(), channel: z.string(), event_ts: Ts.optional() });
const Changed = z.object({ message: z.unknown() });

/** Subtypes of messages that are posted. */
const POSTED: ReadonlySet<string | undefined> = new Set([undefined, 'bot_message', 'file_share', 'thread_broadcast']);

/** Reads an event of Slack. null: it is of a person, or about something else */
export function toolMessageOf(event: unknown): ToolMessage | null {
  const { data } = MessageEvent.safeParse(event);
  if (data === undefined) {
    return null;
  }
  if (data.subtype === 'message_changed') {
    return postedByTool(data.channel, Changed.safeParse(event).data?.message, data.event_ts);
  }
  return POSTED.has(data.subtype) ? postedByTool(data.channel, event) : null;
}

/** @param message as Slack's history has it. @param editedAt absent: as the message says. @returns null: it is of a person */
export function postedByTool(channelId: ChannelId, message: unknown, editedAt?: string): ToolMessage | null {
  const { data } = Posted.safeParse(message);
  if (data === undefined) {
    return null;
  }
  const { bot_id: botId, bot_profile: profile, username, ts, edited, thread_ts: threadTs } = data;
  return {
    channelId,
    botId,
    botName: (username || profile?.name) ?? botId,
    ts,
    saidAt: editedAt ?? edited?.ts ?? ts,
    threadTs: threadTs === ts ? null : (threadTs ?? null),
    message,
  };
}
