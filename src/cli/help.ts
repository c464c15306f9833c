import { Env } from '../config/settings.ts';
import { KEYS_USAGE } from './parse-keys-command.ts';

const COMMANDS = `npm start                       all parts; settings can replace Slack and the service
npm start -- bot                the Slack bot alone
npm start -- service            the incident service alone
npm start -- local-slack        local Slack alone, to try a bot without a workspace
npm start -- local-slack --manifest <path>
                                local Slack for the app manifest of another bot
npm start -- doctor             checks the settings, the database, the service and Slack
npm start -- sign-in            prints a link that signs in to the dashboard once; with --name and --role
npm start -- keys <action>      manages the API keys of the service:
${KEYS_USAGE.replace(/^npm start -- /gm, '    ')}
npm start -- slack-app          prints a link that creates the app in your Slack
npm start -- move-database <postgres://…>
                                moves everything from the embedded PostgreSQL into an empty database
npm start -- erase-person <id>  takes who a person was out of all that is stored, such as slack:U012AB3CD
npm start -- --help             prints this help`;

/** What `npm start -- --help` prints. */
export function helpText(): string {
  const settings = Object.entries(Env.shape).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    const value = absent.success ? String(absent.data ?? '') : '';
    return `  ${name.padEnd(32)}${schema.description}${value === '' ? '' : ` (${value})`}`;
  });
  return [
    COMMANDS,
    '',
    'Settings are environment variables. All are optional; defaults are in parentheses.',
    ...settings,
  ].join('\n');
}
