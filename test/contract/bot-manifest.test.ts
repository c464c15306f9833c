import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { COMMANDS } from '../../src/bot/blocks/ids.ts';
import { listenersOf } from '../../src/bot/register.ts';
import { SLACK_APP_METHODS, SLACK_EVENTS, SLACK_METHODS } from '../../src/bot/slack/methods.ts';
import { NO_DEPS } from '../support/no-deps.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const schemas = fileURLToPath(new URL('../../../shared/reference/slack-manifest/', import.meta.url));

const Manifest = z.object({
  features: z.object({
    slash_commands: z.array(z.object({ command: z.string() })),
    shortcuts: z.array(z.object({ callback_id: z.string(), type: z.string() })).default([]),
    app_home: z.object({ home_tab_enabled: z.boolean() }),
    unfurl_domains: z.array(z.string()),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
});

async function readManifest(): Promise<unknown> {
  return parse(await readFile(`${root}manifest.yml`, 'utf8'));
}

/** Finds all calls such as `api.chat.postMessage(` in the sources of the bot. */
async function calledMethods(): Promise<Set<string>> {
  const called = new Set<string>();
  for await (const path of glob('src/bot/**/*.ts', { cwd: root })) {
    const source = path.endsWith('.test.ts') ? '' : await readFile(root + path, 'utf8');
    const calls = source.matchAll(/\b(?:api|appClient|client)\s*\.((?:\w+\.)+\w+)\(/g);
    for (const [, method = ''] of calls) {
      called.add(method);
    }
  }
  return called;
}

describe('the app manifest', () => {
  it.skipIf(!existsSync(schemas)).each(['manifest.v1.json', 'manifest.v2.json'])(
    'is valid by Slack’s schema %s (skipped if the schemas are not available)',
    async (name) => {
      const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true }));
      const validate = ajv.compile(JSON.parse(await readFile(schemas + name, 'utf8')));

      validate(await readManifest());

      expect(validate.errors ?? []).toEqual([]);
    },
  );

  it('requests exactly the scopes of the called methods and of the events', async () => {
    const scopes = Manifest.parse(await readManifest()).oauth_config.scopes.bot;

    const needed = new Set([...Object.values(SLACK_METHODS).flat(), ...Object.values(SLACK_EVENTS).flat(), 'commands']);

    expect(scopes.toSorted()).toEqual([...needed].toSorted());
  });

  it('declares exactly the commands and shortcuts that have a listener', async () => {
    const { features } = Manifest.parse(await readManifest());

    expect(features.slash_commands.map(({ command }) => command).toSorted()).toEqual(
      Object.values(COMMANDS).toSorted(),
    );
    expect(features.shortcuts.map(({ callback_id: id }) => id).toSorted()).toEqual(
      [...listenersOf(NO_DEPS).shortcuts.keys()].toSorted(),
    );
  });

  it('subscribes to exactly the events that the Home tab and the links need', async () => {
    const { features, settings } = Manifest.parse(await readManifest());

    expect(settings.event_subscriptions.bot_events.toSorted()).toEqual(Object.keys(SLACK_EVENTS).toSorted());
    expect(features.app_home.home_tab_enabled).toBe(true);
    expect(features.unfurl_domains).toHaveLength(1);
  });

  it('is explained in the docs, scope by scope', async () => {
    const scopes = Manifest.parse(await readManifest()).oauth_config.scopes.bot;
    const page = await readFile(`${root}docs/slack-app.md`, 'utf8');

    const rows = [...page.matchAll(/^\| ((?:`[a-z:.]+`(?:, )?)+) +\| \S/gm)];
    const explained = rows.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));

    expect(explained.filter((name) => name.includes(':') || name === 'commands').toSorted()).toEqual(scopes.toSorted());
  });
});

describe('the bot', () => {
  it('calls exactly the Web API methods in the table of scopes', async () => {
    const known = [...Object.keys(SLACK_METHODS), ...SLACK_APP_METHODS];

    expect([...(await calledMethods())].toSorted()).toEqual(known.toSorted());
  });
});
