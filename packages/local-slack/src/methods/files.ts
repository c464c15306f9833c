import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { parseContent } from '../validation/message.ts';
import { messagesWith } from '../workspace/file-bytes.ts';
import { FILE_GROUPS } from '../workspace/file-types.ts';
import type { Channel, Message, SharedFile } from '../workspace/model.ts';
import { presentFile } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import type { Content } from '../workspace/workspace.ts';
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

  'files.info': {
    token: 'bot',
    scope: 'files:read',
    run(args, deps) {
      const file = getFile(args, deps);
      return { file: present(deps, file), comments: [], response_metadata: { next_cursor: '' } };
    },
  },

  'files.list': {
    token: 'bot',
    scope: 'files:read',
    run(args, deps) {
      const channel = args.text('channel');
      const user = args.text('user');
      if (user !== null && deps.workspace.findPerson(user)?.id !== user) {
        throw new SlackError('user_not_found');
      }
      const groups = (args.text('types') ?? 'all').split(',').map((name) => {
        const group = Object.hasOwn(FILE_GROUPS, name) ? FILE_GROUPS[name] : undefined;
        if (group === undefined) {
          throw new SlackError('unknown_type');
        }
        return group;
      });
      const from = Number(args.text('ts_from') ?? 0);
      const to = Number(args.text('ts_to') ?? Number.POSITIVE_INFINITY);
      const found = deps.workspace.files
        .all()
        .filter((file) => !file.isDeleted && isVisible(deps, file) && file.createdAt >= from && file.createdAt <= to)
        .filter((file) => user === null || file.user === user)
        .filter((file) => groups.some((isOfGroup) => isOfGroup(file.contentType)))
        .filter((file) => channel === null || messagesWith(deps.workspace, file.id).some((m) => m.channel === channel))
        .toReversed();
      const count = args.count('count', 100, LIMITS.listPage);
      const number = args.count('page', 1, Number.MAX_SAFE_INTEGER);
      return {
        files: found.slice((number - 1) * count, number * count).map((file) => present(deps, file)),
        paging: { count, total: found.length, page: number, pages: Math.ceil(found.length / count) },
      };
    },
  },

  'files.delete': {
    token: 'bot',
    scope: 'files:write',
    run(args, deps) {
      const file = getFile(args, deps);
      if (file.user !== BOT_USER_ID) {
        throw new SlackError('cant_delete_file');
      }
      deps.fileBytes.remove(file);
      return {};
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

function getFile(args: Arguments, deps: MethodDeps): SharedFile {
  const file = deps.workspace.files.find(args.needed('file'));
  if (file === null || !isVisible(deps, file)) {
    throw new SlackError('file_not_found');
  }
  if (file.isDeleted) {
    throw new SlackError('file_deleted');
  }
  return file;
}

/** Files that are only shared in conversations without the app are not visible to it. */
function isVisible(deps: MethodDeps, file: SharedFile): boolean {
  const shown = messagesWith(deps.workspace, file.id);
  return shown.length === 0 || file.user === BOT_USER_ID || shown.some((message) => isInSight(deps, message));
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
