import type { Fetch } from './clients.ts';
import type { ChannelId } from './identifiers.ts';
import type { SlackApi } from './methods.ts';

export interface Upload {
  readonly filename: string;
  readonly title: string;
  readonly content: string;
  readonly channelId: ChannelId;
  /** null: not in a thread. */
  readonly threadTs: string | null;
}

/** Shares a text as a file. @throws errors of Slack's client, for example without the scope `files:write` */
export type ShareFile = (upload: Upload) => Promise<void>;

export function createShareFile(api: Pick<SlackApi, 'files'>, send: Fetch): ShareFile {
  return async ({ filename, title, content, channelId, threadTs }) => {
    const { byteLength: length } = new TextEncoder().encode(content);
    const target = await api.files.getUploadURLExternal({ filename, length });
    const { upload_url: url, file_id: id } = target;
    if (url === undefined || id === undefined) {
      throw new Error('Slack gave no address for the file');
    }
    const sent = await send(url, { method: 'POST', body: content });
    if (!sent.ok) {
      throw new Error(`Slack did not take the file: HTTP status ${sent.status}`);
    }
    const files: [{ id: string; title: string }] = [{ id, title }];
    await (threadTs === null
      ? api.files.completeUploadExternal({ files, channel_id: channelId })
      : api.files.completeUploadExternal({ files, channel_id: channelId, thread_ts: threadTs }));
  };
}
