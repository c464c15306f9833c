import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runSlackApp } from './slack-app.ts';

async function manifestIn(env: Readonly<Record<string, string>>) {
  const { output } = await runSlackApp([], { env, now: () => new Date() });
  const link = new URL(output);
  return { link, manifest: parse(link.searchParams.get('manifest_yaml') ?? '') };
}

it('links to a new app with the manifest and the host of PUBLIC_URL', async () => {
  const expected = parse(await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8'));

  const { link, manifest } = await manifestIn({ PUBLIC_URL: 'https://tocsin.acme.dev/' });

  expect(`${link.origin}${link.pathname}`).toBe('https://api.slack.com/apps');
  expect(link.searchParams.get('new_app')).toBe('1');
  expect(manifest).toEqual({ ...expected, features: { ...expected.features, unfurl_domains: ['tocsin.acme.dev'] } });
});

it.each([{}, { PUBLIC_URL: 'http://127.0.0.1:3000' }])(
  'unfurls nothing where Slack could not know the host',
  async (env) => {
    const { manifest } = await manifestIn(env);

    expect(manifest.features).not.toHaveProperty('unfurl_domains');
    expect(manifest.features).toHaveProperty('slash_commands');
  },
);
