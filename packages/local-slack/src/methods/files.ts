import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { parseContent } from '../validation/message.ts';
import { messagesWith } from '../workspace/file-bytes.ts';
import type { Channel, Content, Message, SharedFile } from '../workspace/model.ts';
import { presentFile } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { type Arguments, isMember, type Method, type MethodDeps, readIds } from './method.ts';
import { findTarget, readThread, refuseArchived } from './posting.ts';

export const fileMethods: Readonly<Record<string, Method>> = {
  'files.getUploadURLExternal': {
    token: 'bot',
    scope: 'files:write',
    run(args, deps) {
      const name = args.needed('filename');
      const length = readLength(args);
      const altText = args.text('alt_txt') ?? args.text('alt_text'); // the name in the documentation, and the one that the SDK sends
      if (altText !== null && altText.length > LIMITS.fileAltText) {
        throw new SlackError('alt_txt_too_large');
      }
      const { id, path } = deps.fileBytes.announce({ name, length, altText });
      return { upload_url: new URL(path, deps.workspaceUrl()).href, file_id: id };
    },
  },

  'files.completeUploadExternal': {
    token: 'bot',
    scope: 'files:write',
    run(args, deps) {
      const wanted = readFiles(args);
      const channels = readChannels(args, deps);
      const content = readContent(args);
      const [first] = channels;
      const threadTs = first === undefined ? null : readThread(args, deps, first);
      const files = wanted.map(({ id, title }) => deps.fileBytes.complete(id, title));
      for (const channel of channels) {
        deps.workspace.post({ channel: channel.id, user: BOT_USER_ID, content, files, threadTs });
      }
      return { files: files.map((file) => present(deps, file)) };
    },
  },
};

function readLength(args: Arguments): number {
  const length = Number(args.needed('length'));
  if (!Number.isInteger(length) || length < 0) {
    throw invalidArguments('length must be an integer');
  }
  if (length === 0) {
    throw new SlackError('missing_argument');
  }
  if (length > LIMITS.fileBytes) {
    throw new SlackError('file_upload_size_restricted');
  }
  return length;
}

function readFiles(args: Arguments): { id: string; title: string | null }[] {
  const files = args.json('files', 'invalid_arguments');
  if (!Array.isArray(files) || files.length === 0) {
    throw invalidArguments('missing required field: files');
  }
  return files.map((file: unknown, index) => {
    if (!isFields(file) || typeof file.id !== 'string') {
      throw invalidArguments(`missing required field: id [json-pointer:/files/${index}]`);
    }
    return { id: file.id, title: typeof file.title === 'string' ? file.title : null };
  });
}

/** The channels to share the files in. Empty when none is given. */
function readChannels(args: Arguments, deps: MethodDeps): Channel[] {
  const ids = readIds(args, 'channel_id') ?? readIds(args, 'channels') ?? [];
  if (ids.length > LIMITS.fileChannels) {
    throw new SlackError('channels_limit_exceeded');
  }
  return ids.map((id) => {
    const channel = findTarget(deps, id);
    refuseArchived(channel);
    if (!isMember(channel)) {
      throw new SlackError('not_in_channel');
    }
    return channel;
  });
}

/** Slack ignores blocks when there is a comment. */
function readContent(args: Arguments): Content {
  const comment = args.text('initial_comment');
  const blocks = args.json('blocks', 'invalid_blocks');
  return comment !== null || blocks === undefined
    ? { text: comment ?? '', blocks: [] }
    : parseContent({ text: '', blocks }).content;
}

function isInSight(deps: MethodDeps, message: Message): boolean {
  const channel = deps.workspace.findChannel(message.channel);
  return channel !== null && (channel.kind === 'public' || isMember(channel));
}

/** The file with the places where it is shared. */
function present(deps: MethodDeps, file: SharedFile): Record<string, unknown> {
  const shown = messagesWith(deps.workspace, file.id).filter((message) => isInSight(deps, message));
  const ofKind = (kind: Channel['kind']): Message[] =>
    shown.filter(({ channel }) => deps.workspace.findChannel(channel)?.kind === kind);
  const shares = {
    public: sharesOf(deps, ofKind('public')),
    private: sharesOf(deps, [...ofKind('private'), ...ofKind('mpim'), ...ofKind('im')]),
  };
  return {
    ...presentFile(file, deps.workspaceUrl()),
    shares: Object.fromEntries(Object.entries(shares).filter(([, each]) => Object.keys(each).length > 0)),
    channels: channelsOf(ofKind('public')),
    groups: channelsOf([...ofKind('private'), ...ofKind('mpim')]),
    ims: channelsOf(ofKind('im')),
    comments_count: 0,
  };
}

function channelsOf(messages: readonly Message[]): string[] {
  return [...new Set(messages.map(({ channel }) => channel))];
}

/** By channel. */
function sharesOf(deps: MethodDeps, messages: readonly Message[]): Record<string, unknown> {
  const share = ({ ts, threadTs, channel }: Message): Record<string, unknown> => ({
    ts,
    channel_name: deps.workspace.findChannel(channel)?.name,
    ...(threadTs !== null && { thread_ts: threadTs }),
  });
  return Object.fromEntries(
    channelsOf(messages).map((id) => [id, messages.filter(({ channel }) => channel === id).map(share)]),
  );
}
