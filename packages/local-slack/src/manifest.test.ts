import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'local-slack-manifest-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** The complaint of local Slack about a manifest; null: it is accepted. */
async function complaint(manifest: unknown): Promise<string | null> {
  const path = join(dir, 'manifest.json');
  await writeFile(path, JSON.stringify(manifest));
  return await readManifest(path).then(
    () => null,
    (error: Error) => error.message.replace(path, 'FILE'),
  );
}

const app = (changes: Fields = {}): Fields => ({ display_information: { name: 'Hello' }, ...changes });
const shortcut = (changes: Fields = {}): Fields => ({
  name: 'Greet',
  type: 'global',
  callback_id: 'greet',
  description: 'Greets everyone',
  ...changes,
});
const command = (changes: Fields = {}): Fields => ({ command: '/hello', description: 'Says hello', ...changes });
const shortcuts = (...all: Fields[]): Fields => app({ features: { shortcuts: all } });
const commands = (...all: Fields[]): Fields => app({ features: { slash_commands: all } });
const text = (length: number): string => 'x'.repeat(length);
const times = (length: number, each: () => unknown): unknown[] => Array.from({ length }, each);

describe('an app manifest', () => {
  it.each<[string, number, (length: number) => unknown]>([
    ['/display_information/name', 35, (length) => app({ display_information: { name: text(length) } })],
    [
      '/display_information/description',
      140,
      (length) => app({ display_information: { name: 'Hello', description: text(length) } }),
    ],
    [
      '/display_information/long_description',
      4_000,
      (length) => app({ display_information: { name: 'Hello', long_description: text(length) } }),
    ],
    [
      '/features/bot_user/display_name',
      80,
      (length) => app({ features: { bot_user: { display_name: text(length) } } }),
    ],
    ['/features/shortcuts/0/name', 24, (length) => shortcuts(shortcut({ name: text(length) }))],
    ['/features/shortcuts/0/callback_id', 255, (length) => shortcuts(shortcut({ callback_id: text(length) }))],
    ['/features/shortcuts/0/description', 150, (length) => shortcuts(shortcut({ description: text(length) }))],
    ['/features/slash_commands/0/command', 32, (length) => commands(command({ command: `/${text(length - 1)}` }))],
    ['/features/slash_commands/0/description', 2_000, (length) => commands(command({ description: text(length) }))],
    ['/features/slash_commands/0/usage_hint', 1_000, (length) => commands(command({ usage_hint: text(length) }))],
    [
      '/features/slash_commands/0/url',
      3_000,
      (length) => commands(command({ url: `https://a.example/${text(length - 18)}` })),
    ],
    [
      '/settings/event_subscriptions/bot_events/0',
      50,
      (length) => app({ settings: { event_subscriptions: { bot_events: [text(length)] } } }),
    ],
    ['/features/unfurl_domains/0', 255, (length) => app({ features: { unfurl_domains: [text(length)] } })],
    ['/oauth_config/scopes/bot/0', 50, (length) => app({ oauth_config: { scopes: { bot: [text(length)] } } })],
  ])('has at %s at most %i characters', async (pointer, most, manifestOf) => {
    expect(await complaint(manifestOf(most))).toBeNull();
    expect(await complaint(manifestOf(most + 1))).toBe(
      `FILE is an invalid_manifest:\nmust be less than ${most + 1} characters [json-pointer:${pointer}]`,
    );
  });

  it.each<[string, number, (length: number) => unknown]>([
    ['/features/shortcuts', 10, (length) => app({ features: { shortcuts: times(length, shortcut) } })],
    ['/features/slash_commands', 50, (length) => app({ features: { slash_commands: times(length, command) } })],
    [
      '/features/unfurl_domains',
      5,
      (length) => app({ features: { unfurl_domains: times(length, () => 'a.example') } }),
    ],
    [
      '/oauth_config/scopes/bot',
      255,
      (length) => app({ oauth_config: { scopes: { bot: times(length, () => 'commands') } } }),
    ],
    [
      '/settings/event_subscriptions/bot_events',
      100,
      (length) => app({ settings: { event_subscriptions: { bot_events: times(length, () => 'app_mention') } } }),
    ],
  ])('has at %s at most %i items', async (pointer, most, manifestOf) => {
    expect(await complaint(manifestOf(most))).toBeNull();
    expect(await complaint(manifestOf(most + 1))).toBe(
      `FILE is an invalid_manifest:\nno more than ${most} items allowed [json-pointer:${pointer}]`,
    );
  });

  it.each<[string, unknown]>([
    [
      'missing required field: description [json-pointer:/features/shortcuts/0]',
      shortcuts(shortcut({ description: undefined })),
    ],
    [
      'missing required field: description [json-pointer:/features/slash_commands/0]',
      commands(command({ description: undefined })),
    ],
    ['must be more than 0 characters [json-pointer:/features/shortcuts/0/name]', shortcuts(shortcut({ name: '' }))],
    [
      'value must be one of: message, global [json-pointer:/features/shortcuts/0/type]',
      shortcuts(shortcut({ type: 'menu' })),
    ],
    ['invalid additional property: hint [json-pointer:/features/slash_commands/0]', commands(command({ hint: 'x' }))],
    [
      'must be a slash and a word [json-pointer:/features/slash_commands/0/command]',
      commands(command({ command: 'hello' })),
    ],
    ['no fewer than 1 items allowed [json-pointer:/features/shortcuts]', shortcuts()],
    [
      'must be more than 174 characters [json-pointer:/display_information/long_description]',
      app({ display_information: { name: 'Hello', long_description: text(174) } }),
    ],
  ])('is refused: %s', async (words, manifest) => {
    expect(await complaint(manifest)).toBe(`FILE is an invalid_manifest:\n${words}`);
  });

  it('is refused with all its errors at once', async () => {
    const errors = await complaint(shortcuts(shortcut({ name: text(25) }), shortcut({ callback_id: text(256) })));

    expect(errors?.split('\n').slice(1)).toEqual([
      'must be less than 25 characters [json-pointer:/features/shortcuts/0/name]',
      'must be less than 256 characters [json-pointer:/features/shortcuts/1/callback_id]',
    ]);
  });
});
