import { request } from 'undici';
import { expect, it } from 'vitest';
import { LIMITS } from '../src/limits.ts';
import { ALL_SCOPES, client, type Fixture, refusal, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
/** The smallest PNG: one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const start = (): Promise<Fixture> => startFixture({ scopes: ALL_SCOPES });

/** The fields of a shared file that these tests read, most of which the types of the SDK lack. */
interface Shared {
  readonly id: string;
  readonly url_private: string;
}

/** Uploads and shares a file. */
async function upload(fixture: Fixture, name: string, content: Buffer): Promise<Shared> {
  const { files } = client(fixture.slack);
  const { upload_url = '', file_id: id = '' } = await files.getUploadURLExternal({
    filename: name,
    length: content.length,
  });
  const sent = await request(upload_url, { method: 'POST', body: content });
  expect(await sent.body.text()).toBe(`OK - ${content.length}`);
  const completed = await files.completeUploadExternal({ files: [{ id, title: 'A title' }], channel_id: CHANNEL });
  return completed.files?.[0] as Shared;
}

it('accepts an upload by filesUploadV2 of the SDK and shows it in the thread', async () => {
  await using fixture = await start();
  const web = client(fixture.slack);
  const { ts = '' } = await web.chat.postMessage({ channel: CHANNEL, text: 'evidence?' });

  await web.filesUploadV2({
    channel_id: CHANNEL,
    thread_ts: ts,
    initial_comment: 'Here it is',
    file_uploads: [
      { file: PIXEL, filename: 'graph.png', title: 'Latency', alt_text: 'a line that goes up' },
      { content: 'ERROR a\n', filename: 'app.log' },
    ],
  });

  await expect(web.conversations.replies({ channel: CHANNEL, ts })).resolves.toMatchObject({
    messages: [
      { reply_count: 1 },
      {
        text: 'Here it is',
        thread_ts: ts,
        parent_user_id: 'U0APP00001',
        files: [
          { name: 'graph.png', title: 'Latency', mimetype: 'image/png', filetype: 'png', size: PIXEL.length },
          { name: 'app.log', title: 'app.log', mimetype: 'text/plain', size: 8 },
        ],
      },
    ],
  });
});

it('serves a file to the app with its token, and redirects other programs to sign in', async () => {
  await using fixture = await start();
  const { slack } = fixture;
  const file = await upload(fixture, 'graph.png', PIXEL);
  const url = file.url_private;
  const get = (headers: Record<string, string>): ReturnType<typeof request> => request(url, { headers });

  const mine = await get({ authorization: `Bearer ${slack.botToken}` });
  const atThePage = await get({ 'sec-fetch-site': 'same-origin' });
  const stranger = await get({});

  expect(file).toMatchObject({ title: 'A title', channels: [CHANNEL], shares: { public: { [CHANNEL]: [{}] } } });
  expect(Buffer.from(await mine.body.arrayBuffer())).toEqual(PIXEL);
  expect(atThePage.headers).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': expect.stringMatching(/^inline;/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect([stranger.statusCode, stranger.headers.location]).toEqual([302, expect.stringMatching(/^\/\?redir=/)]);
  await Promise.all([atThePage.body.dump(), stranger.body.dump()]);
});

it.each(['page.html', 'drawing.svg', 'script.js'])('never serves %s as active content', async (name) => {
  await using fixture = await start();
  const { id } = await upload(fixture, name, Buffer.from('<script>alert(1)</script>'));

  const { headers, body } = await request(`${fixture.slack.url}files/${id}/${name}`, {
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  await body.dump();

  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment;/),
  });
});

it('refuses invalid calls about files like Slack', async () => {
  await using fixture = await start();
  const web = client(fixture.slack);
  const { files } = web;
  const { upload_url = '', file_id: id = '' } = await files.getUploadURLExternal({ filename: 'a.txt', length: 5 });
  const post = async (url: string, body: string): Promise<number> => {
    const answer = await request(url, { method: 'POST', body });
    await answer.body.dump();
    return answer.statusCode;
  };
  const complete = (fields: object): Promise<string> =>
    refusal(web.apiCall('files.completeUploadExternal', { files: [{ id }], ...fields }));

  expect(await complete({})).toBe('file_not_found');
  expect(await post(upload_url, 'four')).toBe(400);
  expect(await post(upload_url, 'x'.repeat(100_000))).toBe(400);
  expect(await post(`${fixture.slack.url}upload/v1/guessed`, 'fives')).toBe(404);
  expect(await post(upload_url, 'fives')).toBe(200);
  expect(await complete({ channel_id: 'C0GENERAL1' })).toBe('not_in_channel');
  expect(await complete({ channel_id: 'C0NOWHERE1' })).toBe('channel_not_found');
  expect(await complete({ files: [] })).toBe('invalid_arguments');
  expect(await complete({ channel_id: CHANNEL })).toBe('ok');
  expect(await complete({ channel_id: CHANNEL })).toBe('file_not_found');
  expect(
    await Promise.all([
      refusal(files.getUploadURLExternal({ filename: 'a', length: 0 })),
      refusal(files.getUploadURLExternal({ filename: 'a', length: LIMITS.fileBytes + 1 })),
      refusal(web.apiCall('files.getUploadURLExternal', { length: 1 })),
      refusal(web.apiCall('files.getUploadURLExternal', { filename: 'a', length: 1, alt_txt: 'x'.repeat(1_001) })),
    ]),
  ).toEqual(['missing_argument', 'file_upload_size_restricted', 'invalid_arguments', 'alt_txt_too_large']);
});
