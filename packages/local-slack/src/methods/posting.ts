import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { parseContent } from '../validation/message.ts';
import type { Channel, Message, MessageMetadata } from '../workspace/model.ts';
import { presentMessage } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { type Arguments, getChannel, isMember, type MethodDeps } from './method.ts';

/** A channel by id or name. The id of a person stands for the direct message with them. */
export function findTarget(deps: MethodDeps, reference: string): Channel {
  if (deps.workspace.findPerson(reference)?.id === reference) {
    return deps.workspace.openDirectMessage([reference, BOT_USER_ID]);
  }
  const named = deps.workspace.findChannelByName(reference.replace(/^#/, ''));
  return getChannel(deps, named?.id ?? reference);
}

export function refuseArchived(channel: Channel): void {
  if (channel.isArchived) {
    throw new SlackError('is_archived');
  }
}

/** The bot has to be a member, or have chat:write.public for a public channel. */
export function refuseOutsider(deps: MethodDeps, channel: Channel): void {
  if (isMember(channel)) {
    return;
  }
  if (channel.kind !== 'public' || !deps.manifest.oauth_config.scopes.bot.includes('chat:write.public')) {
    throw new SlackError('not_in_channel');
  }
}

export function readContent(args: Arguments): ReturnType<typeof parseContent> {
  return parseContent({
    text: args.text('text') ?? '',
    blocks: args.json('blocks', 'invalid_blocks_format'),
    attachments: args.json('attachments', 'invalid_attachments'),
  });
}

/** The parent of the thread. A reply to a reply belongs to the same thread. */
export function readThread(args: Arguments, deps: MethodDeps, channel: Channel): string | null {
  const threadTs = args.text('thread_ts');
  if (threadTs === null) {
    return null;
  }
  const parent = deps.workspace.findMessage(channel.id, threadTs);
  if (parent === null) {
    throw new SlackError('thread_not_found');
  }
  return parent.threadTs ?? parent.ts;
}

/** Undefined when missing. A payload has flat values and objects of one level. */
export function readMetadata(args: Arguments): MessageMetadata | undefined {
  const metadata = args.json('metadata', 'invalid_metadata_format');
  if (metadata === undefined) {
    return undefined;
  }
  if (!isFields(metadata)) {
    throw new SlackError('invalid_metadata_format');
  }
  if (JSON.stringify(metadata).length > LIMITS.metadata) {
    throw new SlackError('metadata_too_large');
  }
  const { event_type: type, event_payload: payload } = metadata;
  if (typeof type !== 'string' || !isFields(payload)) {
    throw new SlackError('invalid_metadata_format');
  }
  const tooDeep = Object.values(payload)
    .filter(isFields)
    .some((value) => Object.values(value).some(isFields));
  if (tooDeep) {
    throw invalidArguments('event_payload may hold objects of one level only [json-pointer:/metadata/event_payload]');
  }
  return { event_type: type, event_payload: payload };
}

/** A message as in a response. */
export function presentIn(
  deps: MethodDeps,
  message: Message,
  options: Partial<Parameters<typeof presentMessage>[1]> = {},
): Record<string, unknown> {
  return presentMessage(message, { withMetadata: false, workspaceUrl: deps.workspaceUrl(), ...options });
}

export function permalinkOf(deps: MethodDeps, message: Message): string {
  const thread = message.threadTs === null ? '' : `?thread_ts=${message.threadTs}&cid=${message.channel}`;
  return `${deps.workspaceUrl()}archives/${message.channel}/p${message.ts.replace('.', '')}${thread}`;
}

/** The message given by `channel` and `timestamp`. The bot has to be a member of the channel. */
export function getItem(args: Arguments, deps: MethodDeps): { channel: Channel; message: Message } {
  const reference = args.text('channel');
  const ts = args.text('timestamp');
  if (reference === null || ts === null) {
    throw new SlackError('no_item_specified');
  }
  const channel = getChannel(deps, reference);
  if (!isMember(channel)) {
    throw new SlackError('not_in_channel');
  }
  if (!/^\d+\.\d+$/.test(ts)) {
    throw new SlackError('bad_timestamp');
  }
  const message = deps.workspace.findMessage(channel.id, ts);
  if (message === null) {
    throw new SlackError('message_not_found');
  }
  return { channel, message };
}
