import { SlackError } from '../errors.ts';
import { messageBlocks } from '../validation/blocks.ts';
import { isFields, violationsOf } from '../validation/check.ts';
import { refuseViolations } from '../validation/refuse.ts';
import type { Message } from '../workspace/model.ts';
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
      const unfurls = readUnfurls(args);
      if (unfurls.length === 0) {
        throw new SlackError('missing_unfurls');
      }
      for (const { url } of unfurls) {
        refuseForeign(deps, message, url);
      }
      const named = unfurls.map((each) => nameUnfurl(deps, each));
      deps.workspace.changeMessage(message.channel, message.ts, (before) => unfurl(before, named));
      return {};
    },
  },
};

function getMessage(args: Arguments, deps: MethodDeps): Message {
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
