import { KEYS_USAGE } from './cli/parse-keys-command.ts';
import { Env } from './settings.ts';

const COMMANDS = `npm start                       everything that the settings do not place elsewhere
npm start -- bot                the Slack bot alone
npm start -- service            the incident service alone
npm start -- local-slack        local Slack alone, to try a bot without a workspace
npm start -- local-slack --manifest <path>
                                the same for another bot's app manifest
npm start -- doctor             checks the settings, the database, the service and Slack
npm start -- keys <action>      API keys of the service:
${KEYS_USAGE.replace(/^npm start -- /gm, '    ')}
npm start -- --help             this text`;

/** What `npm start -- --help` prints. */
export function helpText(): string {
  const settings = Object.entries(Env.shape).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    const value = absent.success && absent.data !== undefined ? ` (${absent.data})` : '';
    return `  ${name.padEnd(32)}${schema.description}${value}`;
  });
  return [
    COMMANDS,
    '',
    'Settings are environment variables. All are optional; defaults are in parentheses.',
    ...settings,
  ].join('\n');
}
