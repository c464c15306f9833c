import { SlackError } from '../errors.ts';
import { messageBlocks } from '../validation/blocks.ts';
import { isFields, violationsOf } from '../validation/check.ts';
import { unfurledEntity } from '../validation/entity.ts';
import { parseContent } from '../validation/message.ts';
import { refuseViolations } from '../validation/refuse.ts';
import type { Entity, Message } from '../workspace/model.ts';
import { APP_ID, BOT_ID } from '../workspace/seed.ts';
import type { Arguments, Method, MethodDeps } from './method.ts';

/** The content that the app gives for one link. */
interface Unfurl {
  readonly url: string;
  readonly attachment: Readonly<Record<string, unknown>>;
}

export const unfurlMethods: Readonly<Record<string, Method>> = {
  'chat.unfurl': {
    token: 'bot',
    scope: 'links:write',
    run(args, deps) {
      const message = getMessage(args, deps);
      const unfurls = [...readUnfurls(args), ...readEntities(args)];
      const invitation = readInvitation(args);
      if (unfurls.length === 0 && invitation === null) {
        throw new SlackError('missing_unfurls');
      }
      for (const { url } of unfurls) {
        refuseForeign(deps, message, url);
      }
      if (invitation !== null) {
        const { channel, user: viewer, threadTs } = message;
        deps.workspace.postEphemeral({ channel, viewer, from: 'app', content: invitation, threadTs });
      }
      if (unfurls.length > 0) {
        const named = unfurls.map((each) => nameUnfurl(deps, each));
        deps.workspace.changeMessage(message.channel, message.ts, (before) => unfurl(before, named));
      }
      return {};
    },
  },
};

/** By channel and ts, or by the unfurl_id of the `link_shared` event. */
function getMessage(args: Arguments, deps: MethodDeps): Message {
  const unfurlId = args.text('unfurl_id');
  const source = args.text('source');
  if (unfurlId !== null || source !== null) {
    return getMessageOfLink(unfurlId, source, deps);
  }
  const reference = args.text('channel');
  if (reference === null) {
    throw new SlackError('missing_channel');
  }
  const ts = args.text('ts');
  if (ts === null) {
    throw new SlackError('missing_ts');
  }
  if (deps.workspace.findChannel(reference) === null) {
    throw new SlackError('cannot_find_channel');
  }
  const message = deps.workspace.findMessage(reference, ts);
  if (message === null) {
    throw new SlackError('cannot_find_message');
  }
  return message;
}

function getMessageOfLink(unfurlId: string | null, source: string | null, deps: MethodDeps): Message {
  if (unfurlId === null) {
    throw new SlackError('missing_unfurl_id');
  }
  if (source === null) {
    throw new SlackError('missing_source');
  }
  if (source !== 'composer' && source !== 'conversations_history') {
    throw new SlackError('invalid_source');
  }
  const [, channel = '', ts = ''] = /^(\w+)-([\d.]+)$/.exec(unfurlId) ?? [];
  const message = deps.workspace.findMessage(channel, ts);
  if (message === null) {
    throw new SlackError('invalid_unfurl_id');
  }
  return message;
}

function readUnfurls(args: Arguments): Unfurl[] {
  const unfurls = args.json('unfurls', 'invalid_unfurls_format') ?? {};
  if (!isFields(unfurls)) {
    throw new SlackError('invalid_unfurls_format');
  }
  return Object.entries(unfurls).map(([url, attachment]) => {
    if (!isFields(attachment)) {
      throw new SlackError('cannot_parse_attachment');
    }
    const pointer = `/unfurls/${url.replaceAll('~', '~0').replaceAll('/', '~1')}/blocks`;
    refuseViolations('cannot_parse_attachment', violationsOf(messageBlocks, attachment.blocks ?? [], pointer));
    return { url, attachment };
  });
}

/** Slack does not document how it presents a Work Object in a message. Here the attachment holds the entity as sent. */
function readEntities(args: Arguments): Unfurl[] {
  const metadata = args.json('metadata', 'invalid_metadata_format');
  if (metadata === undefined) {
    return [];
  }
  if (!isFields(metadata) || !Array.isArray(metadata.entities)) {
    throw new SlackError('invalid_metadata_format');
  }
  return metadata.entities.map((each: unknown, index) => {
    refuseViolations('invalid_metadata_format', violationsOf(unfurledEntity, each, `/metadata/entities/${index}`));
    const entity = each as Entity & { readonly app_unfurl_url: string }; // validated above
    const { title } = entity.entity_payload.attributes;
    return { url: entity.app_unfurl_url, attachment: { title: title.text, title_link: entity.url, entity } };
  });
}

/** The request to the author of the link to connect an account. Null when there is none. */
function readInvitation(args: Arguments): ReturnType<typeof parseContent>['content'] | null {
  const text = args.text('user_auth_message');
  const url = args.text('user_auth_url');
  const blocks = args.json('user_auth_blocks', 'invalid_blocks');
  if (text === null && url === null && blocks === undefined && !args.flag('user_auth_required')) {
    return null;
  }
  const plain = text ?? 'This app can show more of your link.';
  return parseContent({ text: url === null ? plain : `${plain} <${url}|Connect your account>`, blocks }).content;
}

/** The link has to be part of the message, and its domain has to be in the manifest. */
function refuseForeign(deps: MethodDeps, message: Message, url: string): void {
  const host = URL.parse(url)?.hostname ?? '';
  const domains = deps.manifest.features.unfurl_domains;
  if (!domains.some((domain) => host === domain || host.endsWith(`.${domain}`))) {
    throw new SlackError('cannot_unfurl_url');
  }
  if (!message.text.replaceAll('&amp;', '&').includes(url)) {
    throw new SlackError('cannot_unfurl_message');
  }
}

/** Adds the ids that a payload needs when somebody uses a button of the unfurl. */
function nameUnfurl({ workspace }: MethodDeps, { url, attachment }: Unfurl): Unfurl {
  const { blocks } = attachment;
  return Array.isArray(blocks)
    ? { url, attachment: { ...attachment, blocks: workspace.nameBlocks(blocks) } }
    : { url, attachment };
}

/** Replaces earlier unfurls of the same links. */
function unfurl(message: Message, unfurls: readonly Unfurl[]): Message {
  const urls = unfurls.map(({ url }) => url);
  const others = message.attachments.filter((each) => !urls.includes(String(each.from_url)));
  const added = unfurls.map(({ url, attachment }, index) => ({
    ...attachment,
    id: others.length + index + 1,
    from_url: url,
    original_url: url,
    app_unfurl_url: url,
    is_app_unfurl: true,
    app_id: APP_ID,
    bot_id: BOT_ID,
  }));
  return { ...message, attachments: [...others, ...added] };
}
