import { SlackError } from '../errors.ts';
import type { Channel, Message, Person } from '../workspace/model.ts';
import { TEAM } from '../workspace/seed.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Arguments, readArguments } from './method.ts';
import { readContent, refuseArchived } from './posting.ts';

/** Other apps of the workspace, whose messages the app sees. They are in every public channel. */
interface ToolDeps {
  readonly workspace: Workspace;
}

type ToolMethod = (args: Arguments, tool: Person, workspace: Workspace) => Record<string, unknown>;

/** As for the app, with the scopes `chat:write`, `chat:write.public` and `chat:write.customize`. */
const METHODS: Readonly<Record<string, ToolMethod>> = {
  'chat.postMessage'(args, tool, workspace) {
    const channel = getPlace(args.needed('channel'), tool, workspace);
    const message = post(channel, args, tool, workspace, args.text('username'));
    return { channel: channel.id, ts: message.ts };
  },

  'chat.update'(args, tool, workspace) {
    const message = getOwn(args, tool, workspace, 'cant_update_message');
    const { content, attachments } = readContent(args);
    workspace.changeMessage(message.channel, message.ts, (before) => ({
      ...before,
      text: content.text,
      blocks: workspace.nameBlocks(content.blocks),
      attachments,
      isEdited: true,
    }));
    return { channel: message.channel, ts: message.ts, text: content.text };
  },

  'chat.delete'(args, tool, workspace) {
    const { channel, ts } = getOwn(args, tool, workspace, 'cant_delete_message');
    workspace.deleteMessage(channel, ts);
    return { channel, ts };
  },
};

/** A call of another app: without faults, limits and a record, which are about the app under test. */
export function callAsTool(
  name: string,
  raw: Readonly<Record<string, unknown>>,
  handle: string,
  { workspace }: ToolDeps,
): Response {
  try {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method === undefined) {
      throw new SlackError('missing_scope', { req_method: name });
    }
    return Response.json({ ok: true, ...method(readArguments(raw), workspace.openTool(handle), workspace) });
  } catch (error) {
    if (error instanceof SlackError) {
      return Response.json({ ok: false, error: error.code, ...error.details });
    }
    throw error;
  }
}

/** Statuses of the errors of incoming webhooks; others have 400. */
const WEBHOOK_STATUSES: Readonly<Record<string, number>> = { channel_not_found: 404, channel_is_archived: 410 };

/**
 * An incoming webhook: `/services/<team>/<channel>/<tool>`. Its channel may be named by id or name.
 *
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export async function receiveWebhook(request: Request, path: string, { workspace }: ToolDeps): Promise<Response> {
  const [, , team, place = '', handle = ''] = path.split('/');
  try {
    if (request.method !== 'POST' || team !== TEAM.id || !/^[a-z][a-z0-9-]{0,30}$/.test(handle)) {
      throw new SlackError('no_service');
    }
    const args = readArguments(await readPayload(request));
    const tool = workspace.openTool(handle);
    const channel = getPlace(place, tool, workspace);
    if (channel.isArchived) {
      throw new SlackError('channel_is_archived');
    }
    post(channel, args, tool, workspace, args.text('username') ?? tool.realName);
    return new Response('ok');
  } catch (error) {
    if (error instanceof SlackError) {
      return new Response(error.code, { status: WEBHOOK_STATUSES[error.code] ?? 400 });
    }
    throw error;
  }
}

async function readPayload(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  try {
    const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
    const payload: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
    return Object.fromEntries(Object.entries(payload as object));
  } catch {
    throw new SlackError('invalid_payload');
  }
}

function post(channel: Channel, args: Arguments, tool: Person, workspace: Workspace, custom: string | null): Message {
  refuseArchived(channel);
  const { content, attachments } = readContent(args);
  const threadTs = args.text('thread_ts');
  const parent = threadTs === null ? null : workspace.findMessage(channel.id, threadTs);
  if (threadTs !== null && parent === null) {
    throw new SlackError('thread_not_found');
  }
  return workspace.post({
    channel: channel.id,
    user: tool.id,
    content,
    attachments,
    tool: { name: custom ?? tool.realName, isCustom: custom !== null },
    threadTs: parent === null ? null : (parent.threadTs ?? parent.ts),
    isBroadcast: parent !== null && args.flag('reply_broadcast'),
  });
}

function getPlace(reference: string, tool: Person, workspace: Workspace): Channel {
  const channel = workspace.findChannelByName(reference.replace(/^#/, '')) ?? workspace.findChannel(reference);
  if (channel === null || (channel.kind !== 'public' && !channel.members.includes(tool.id))) {
    throw new SlackError('channel_not_found');
  }
  return channel;
}

function getOwn(args: Arguments, tool: Person, workspace: Workspace, notOwn: string): Message {
  const channel = getPlace(args.needed('channel'), tool, workspace);
  const message = workspace.findMessage(channel.id, args.needed('ts'));
  if (message === null) {
    throw new SlackError('message_not_found');
  }
  if (message.user !== tool.id) {
    throw new SlackError(notOwn);
  }
  return message;
}
