import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createFindAttempt } from './find-attempt.ts';

const AT = new Date('2026-01-31T08:00:00Z');
const ATTEMPT = { id: 'attempt', firstAt: AT, lastAt: new Date('2026-01-31T09:00:00Z') };

/** @param failures what a read fails with, by its number; the message is on the last page */
function channel(pages: number, failures: Readonly<Record<number, Error>> = {}) {
  const reads: { oldest: string; latest: string; cursor: string | undefined }[] = [];
  const read = async ({ oldest, latest, cursor }: { oldest: string; latest: string; cursor?: string }) => {
    reads.push({ oldest, latest, cursor });
    const failure = failures[reads.length];
    if (failure !== undefined) {
      throw failure;
    }
    const page = Number(cursor ?? 1);
    return page < pages
      ? { messages: [{ ts: '1.1' }], response_metadata: { next_cursor: String(page + 1) } }
      : { messages: [{ ts: '1.2', metadata: { event_payload: { attempt_id: 'attempt' } } }] };
  };
  return { read, cursors: () => reads.map(({ cursor }) => cursor), first: () => reads[0] };
}

it('reads only the time span in which the message can have been posted', async () => {
  const { read, first } = channel(1);

  expect(await createFindAttempt()(ATTEMPT, read)).toBe('1.2');
  expect([first()?.oldest, first()?.latest].map((seconds) => new Date(Number(seconds) * 1_000).toISOString())).toEqual([
    '2026-01-31T07:59:00.000Z',
    '2026-01-31T09:03:00.000Z',
  ]);
});

it('finds nothing only once it has read everything, however many calls that takes', async () => {
  const { read } = channel(25);
  const findAttempt = createFindAttempt();
  const none = { ...ATTEMPT, id: 'another' };

  await expect(findAttempt(none, read)).rejects.toThrow('not all messages are searched yet');
  await expect(findAttempt(none, read)).rejects.toThrow('not all messages are searched yet');
  await expect(findAttempt(none, read)).rejects.toThrow('not all messages are searched yet');
  expect(await findAttempt(none, read)).toBeNull();
});

it('continues where Slack limited the rate, and starts over after another attempt', async () => {
  const limited = new WebAPIRateLimitedError(60);
  const { read, cursors } = channel(3, { 2: limited, 4: limited });
  const findAttempt = createFindAttempt();

  await expect(findAttempt(ATTEMPT, read)).rejects.toBe(limited);
  await expect(findAttempt(ATTEMPT, read)).rejects.toBe(limited);
  await findAttempt({ ...ATTEMPT, lastAt: new Date('2026-01-31T09:30:00Z') }, read);
  await findAttempt(ATTEMPT, read);

  expect(cursors()).toEqual([undefined, '2', '2', '3', undefined, '2', '3', '3']);
});

it('starts over when the cursor has expired', async () => {
  const { read, cursors } = channel(2, { 2: new WebAPIPlatformError({ ok: false, error: 'invalid_cursor' }) });
  const findAttempt = createFindAttempt();

  await expect(findAttempt(ATTEMPT, read)).rejects.toThrow('invalid_cursor');
  expect(await findAttempt(ATTEMPT, read)).toBe('1.2');
  expect(cursors()).toEqual([undefined, '2', undefined, '2']);
});
