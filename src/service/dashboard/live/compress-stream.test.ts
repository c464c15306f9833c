import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compressStream, type Deflated } from './compress-stream.ts';
import { shareMessage } from './shared-message.ts';

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer());
}

it('gives each reader a valid stream of the parts that are compressed once, with their own token', async () => {
  const text = `${'data: <li>a row that repeats</li>\n'.repeat(500)}<input value="TOKEN"> € ${'x'.repeat(999)} TOKEN`;
  const message = shareMessage(text, 'TOKEN');
  const heartbeat = Buffer.from(':\n\n');
  for (const token of ['first', 'a-second-token', '']) {
    const deflated: Deflated = new WeakMap();
    const plain = message.plain(token);
    deflated.set(plain, message.deflated(token));

    const bytes = await bytesOf(compressStream(ReadableStream.from([heartbeat, plain, heartbeat, plain]), deflated));

    const expected = text.replaceAll('TOKEN', token);
    expect(gunzipSync(bytes).toString()).toBe(`:\n\n${expected}:\n\n${expected}`);
    expect(bytes.length).toBeLessThan(expected.length / 10);
  }
});

it('sends what nobody has compressed as it is, whatever its length', async () => {
  const long = Buffer.alloc(200_000, 'abc');

  const bytes = await bytesOf(compressStream(ReadableStream.from<Uint8Array>([long, new Uint8Array()]), new WeakMap()));

  expect(gunzipSync(bytes).equals(long)).toBe(true);
  expect(gunzipSync(await bytesOf(compressStream(ReadableStream.from<Uint8Array>([]), new WeakMap()))).length).toBe(0);
});
