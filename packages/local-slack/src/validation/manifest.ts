import { LIMITS } from '../limits.ts';
import { boolean, type Check, every, isFields, list, matching, object, oneOf, string } from './check.ts';

/** Checks the named fields of an object. Other fields are left alone. */
function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value, pointer, report) => {
    if (!isFields(value)) {
      return; // the parser reports it
    }
    for (const [name, check] of Object.entries(checks)) {
      if (value[name] !== undefined && value[name] !== null) {
        check(value[name], `${pointer}/${name}`, report);
      }
    }
  };
}

const displayInformation = object(
  { name: string({ max: LIMITS.appName }) },
  {
    description: string({ max: LIMITS.appDescription }),
    long_description: string({ min: LIMITS.appLongDescriptionMin, max: LIMITS.appLongDescription }),
    background_color: matching(/^#([0-9a-fA-F]{3}){1,2}$/, 'a color such as #000 or #000000'),
  },
);

const shortcut = object({
  name: string({ max: LIMITS.shortcutName }),
  type: oneOf('message', 'global'),
  callback_id: string({ max: LIMITS.callbackId }),
  description: string({ max: LIMITS.shortcutDescription }),
});

const slashCommand = object(
  {
    command: every(string({ min: 2, max: LIMITS.commandName }), matching(/^\/\S*$/, 'a slash and a word')),
    description: string({ max: LIMITS.commandDescription }),
  },
  {
    url: string({ max: LIMITS.commandUrl }),
    usage_hint: string({ max: LIMITS.usageHint }),
    should_escape: boolean,
  },
);

const botUser = object({ display_name: string({ max: LIMITS.botName }) }, { always_online: boolean });

/** What Slack limits in an app manifest, of the parts that local Slack uses. */
export const appManifest = fields({
  display_information: displayInformation,
  features: fields({
    bot_user: botUser,
    shortcuts: list(shortcut, { max: LIMITS.shortcuts }),
    slash_commands: list(slashCommand, { max: LIMITS.slashCommands }),
    unfurl_domains: list(string({ max: LIMITS.unfurlDomain }), { max: LIMITS.unfurlDomains }),
  }),
  oauth_config: fields({
    scopes: fields({ bot: list(string({ max: LIMITS.scope }), { min: 0, max: LIMITS.scopes }) }),
  }),
  settings: fields({
    event_subscriptions: fields({
      bot_events: list(string({ max: LIMITS.eventName }), { min: 0, max: LIMITS.botEvents }),
    }),
  }),
});
