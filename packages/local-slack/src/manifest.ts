import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { LocalSlackStartError } from './errors.ts';
import { violationsOf } from './validation/check.ts';
import { appManifest } from './validation/manifest.ts';

/** The part of an app manifest that affects how Slack treats the app. The rest is ignored. */
const Manifest = z.object({
  display_information: z.object({ name: z.string(), description: z.string().default('') }),
  features: z
    .object({
      bot_user: z.object({ display_name: z.string() }).optional(),
      slash_commands: z
        .array(
          z.object({
            command: z.string(),
            description: z.string().default(''),
            usage_hint: z.string().default(''),
            url: z.url().optional(),
            should_escape: z.boolean().default(false),
          }),
        )
        .default([]),
      shortcuts: z
        .array(
          z.object({
            name: z.string(),
            callback_id: z.string(),
            type: z.enum(['message', 'global']),
            description: z.string().default(''),
          }),
        )
        .default([]),
      app_home: z
        .object({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
          messages_tab_read_only_enabled: z.boolean().default(false),
        })
        .prefault({}),
      unfurl_domains: z.array(z.string()).default([]),
    })
    .prefault({}),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()).default([]) }).prefault({}) }).prefault({}),
  settings: z
    .object({
      event_subscriptions: z
        .object({ request_url: z.url().optional(), bot_events: z.array(z.string()).default([]) })
        .prefault({}),
      interactivity: z
        .object({
          is_enabled: z.boolean(),
          request_url: z.url().optional(),
          message_menu_options_url: z.url().optional(),
        })
        .prefault({ is_enabled: false }),
      socket_mode_enabled: z.boolean().default(false),
    })
    .prefault({}),
});
export type Manifest = z.infer<typeof Manifest>;

/**
 * @param moreDomains domains to unfurl besides those in the file
 * @throws LocalSlackStartError naming the file and every error in it
 */
export async function readManifest(path: string, moreDomains: readonly string[] = []): Promise<Manifest> {
  let content: unknown;
  try {
    content = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new LocalSlackStartError(`the app manifest ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const violations = violationsOf(appManifest, content, '');
  if (violations.length > 0) {
    const errors = violations.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`);
    throw new LocalSlackStartError(`${path} is an invalid_manifest:\n${errors.join('\n')}`);
  }
  const parsed = Manifest.safeParse(content);
  if (!parsed.success) {
    const errors = z.prettifyError(parsed.error);
    throw new LocalSlackStartError(`${path} is not an app manifest:\n${errors}`, { cause: parsed.error });
  }
  const { features } = parsed.data;
  return { ...parsed.data, features: { ...features, unfurl_domains: [...features.unfurl_domains, ...moreDomains] } };
}
