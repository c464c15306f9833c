import { expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { silentLogger } from '../../../test/support/logger.ts';
import { createEventStore } from '../store/events/event-store.ts';
import { serviceMigrations } from '../store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../store/schema/tables.ts';
import { createEventStreams } from './event-streams.ts';

it('asks for the readers of all streams at once, and gives each of them the same events', async () => {
  await using database = await createTestDatabase();
  const events = createEventStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const asked: (readonly string[])[] = [];
  const findWorkingReaders = async (ids: readonly string[]) => {
    asked.push(ids);
    return new Set(ids);
  };
  await using streams = createEventStreams({ database, events, findWorkingReaders, logger: silentLogger });
  const seen: unknown[] = [];
  const readers = Array.from({ length: 60 }, (_, index) =>
    streams
      .open(0n, `key_${index % 2}`, async (batch) => {
        seen.push(...batch);
        return 'event';
      })
      .getReader(),
  );
  await Promise.all(readers.map((reader) => reader.read())); // the greeting
  await expect.poll(() => asked.length).toBeGreaterThan(0); // the position is known
  const before = asked.length;

  const texts = readers.map(nextEvent);
  await events.requestSignIn({ email: 'ana@example.com', returnTo: '/dashboard' }, new Date());

  expect(await Promise.all(texts)).toEqual(readers.map(() => 'event'));
  expect(asked.slice(before).length).toBeLessThan(4);
  expect(asked.at(-1)).toEqual(['key_0', 'key_1']);
  expect(new Set(seen).size).toBe(1);
});

it('does not end a stream that opens while it is asked whose keys still work', async () => {
  await using database = await createTestDatabase();
  const events = createEventStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const findWorkingReaders = async (ids: readonly string[]) => {
    asked.resolve();
    await answered.promise;
    return new Set(ids);
  };
  await using streams = createEventStreams({ database, events, findWorkingReaders, logger: silentLogger });
  const readEvent = async (key: string) => {
    const reader = streams.open(0n, key, async () => 'event').getReader();
    await reader.read(); // the greeting
    return reader.read();
  };
  const early = readEvent('key_1');
  await asked.promise;
  const late = readEvent('key_2');

  answered.resolve();
  await events.requestSignIn({ email: 'ana@example.com', returnTo: '/dashboard' }, new Date());

  expect((await Promise.all([early, late])).map(({ done }) => done)).toEqual([false, false]);
});

it('goes on at once after events of which the stream says nothing', async () => {
  await using database = await createTestDatabase();
  const events = createEventStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const findWorkingReaders = async (ids: readonly string[]) => new Set(ids);
  for (let index = 0; index < 250; index += 1) {
    await events.requestSignIn({ email: `${index}@example.com`, returnTo: '/dashboard' }, new Date());
  }
  await using streams = createEventStreams({ database, events, findWorkingReaders, logger: silentLogger });
  const { last } = await events.findBounds();
  const reader = streams
    .open(0n, 'key_1', async (batch) => (batch.at(-1)?.sequence === last ? 'event' : ''))
    .getReader();
  await reader.read(); // the greeting

  const { value } = await reader.read(); // a keep-alive, if it has waited

  expect(new TextDecoder().decode(value)).toBe('event');
});

/** The next event. A slow machine gets a keep-alive first. */
async function nextEvent(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  const text = new TextDecoder().decode(value);
  return text.startsWith(':') ? nextEvent(reader) : text;
}
