import { readFile } from 'node:fs/promises';
import { readConfig } from '../config/config.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { UsageError } from './errors.ts';

const MANIFEST = new URL('../../manifest.yml', import.meta.url);
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** Prints the link that creates the app in somebody's workspace, from the manifest and the host of `PUBLIC_URL`. */
export async function runSlackApp(args: readonly string[], { env }: VerbDeps): Promise<CommandResult> {
  if (args.length > 0) {
    throw new UsageError('slack-app takes no arguments: npm start --silent -- slack-app');
  }
  const { publicUrl } = readConfig(env, []).http;
  const host = publicUrl === null ? null : new URL(publicUrl).hostname;
  const isReachable = host !== null && !LOOPBACK.test(host);
  const link = slackAppLink(await readFile(MANIFEST, 'utf8'), isReachable ? host : null);
  const unfurling = isReachable
    ? `Links to ${host} are shown as small cards.`
    : 'PUBLIC_URL is not set, so links to the dashboard are not shown as small cards.';
  return { output: link, notice: `Open it, choose the workspace, and create the app. ${unfurling}` };
}

/** @param host of the links to unfurl; null: none */
export function slackAppLink(manifest: string, host: string | null): string {
  const withoutComments = manifest.replace(/^ *#.*\n/gm, '');
  const unfurling = host === null ? '' : `  unfurl_domains:\n    - ${host}\n`;
  const own = withoutComments.replace(/^ {2}unfurl_domains:\n(?: {4}- .*\n)+/m, unfurling);
  return `https://api.slack.com/apps?new_app=1&manifest_yaml=${encodeURIComponent(own)}`;
}
