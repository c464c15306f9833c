import type { Block, Channel, Ephemeral, Message, Person, View } from '../workspace/model.ts';
import { presentMessage, presentView } from '../workspace/present.ts';
import { APP_ID, BOT_USER_ID, TEAM, VERIFICATION_TOKEN } from '../workspace/seed.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Fields of every interaction payload. */
function base(person: Person, triggerId: string | null): Payload {
  return {
    token: VERIFICATION_TOKEN,
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
    api_app_id: APP_ID,
    user: { id: person.id, username: person.name, name: person.name, team_id: person.teamId },
    ...(triggerId !== null && { trigger_id: triggerId }),
  };
}

function channelField(channel: Channel): Payload {
  return { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name };
}

export function commandPayload(fields: {
  person: Person;
  channel: Channel;
  command: string;
  text: string;
  triggerId: string;
  responseUrl: string;
}): Payload {
  return {
    token: VERIFICATION_TOKEN,
    team_id: TEAM.id,
    team_domain: TEAM.domain,
    channel_id: fields.channel.id,
    channel_name: channelField(fields.channel).name,
    user_id: fields.person.id,
    user_name: fields.person.name,
    command: fields.command,
    text: fields.text,
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: fields.responseUrl,
    trigger_id: fields.triggerId,
  };
}

export function messageActionPayload(fields: {
  person: Person;
  channel: Channel;
  message: Message | Ephemeral;
  /** The unfurled link that contains the element; null: the message itself does. */
  unfurl: Payload | null;
  values: Payload;
  action: Payload;
  triggerId: string;
  responseUrl: string;
}): Payload {
  const { message, unfurl } = fields;
  return {
    type: 'block_actions',
    ...base(fields.person, fields.triggerId),
    container: {
      type: unfurl === null ? 'message' : 'message_attachment',
      message_ts: message.ts,
      ...(unfurl !== null && {
        attachment_id: unfurl.id,
        is_app_unfurl: true,
        app_unfurl_url: unfurl.app_unfurl_url,
      }),
      channel_id: fields.channel.id,
      is_ephemeral: message.kind === 'ephemeral',
      ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    },
    channel: channelField(fields.channel),
    // Slack sends neither the content of an ephemeral message nor the message with an unfurled link.
    ...(message.kind === 'message' && unfurl === null && { message: presentMessage(message, { withMetadata: false }) }),
    ...(unfurl !== null && { app_unfurl: unfurl }),
    state: { values: fields.values },
    response_url: fields.responseUrl,
    actions: [fields.action],
  };
}

export function viewActionPayload(fields: {
  person: Person;
  view: View;
  values: Payload;
  action: Payload;
  triggerId: string;
}): Payload {
  return {
    type: 'block_actions',
    ...base(fields.person, fields.triggerId),
    container: { type: 'view', view_id: fields.view.id },
    view: presentView(fields.view, fields.values),
    actions: [fields.action],
  };
}

/** Asks the app for the options of an external select. */
export function suggestionPayload(fields: {
  person: Person;
  place: Message | Ephemeral | View;
  channel: Channel | null;
  block: Block;
  element: Payload;
  typed: string;
}): Payload {
  const { place, channel } = fields;
  return {
    type: 'block_suggestion',
    ...base(fields.person, null),
    action_id: fields.element.action_id,
    block_id: fields.block.block_id,
    value: fields.typed,
    ...(place.kind === 'view'
      ? { container: { type: 'view', view_id: place.id }, view: presentView(place) }
      : { container: { type: 'message', message_ts: place.ts, channel_id: place.channel } }),
    ...(channel !== null && { channel: channelField(channel) }),
    ...(place.kind === 'message' && { message: presentMessage(place, { withMetadata: false }) }),
  };
}

export function submissionPayload(fields: { person: Person; view: View; values: Payload; triggerId: string }): Payload {
  return {
    type: 'view_submission',
    ...base(fields.person, fields.triggerId),
    view: presentView(fields.view, fields.values),
    response_urls: [],
  };
}

export function closedPayload(fields: { person: Person; view: View; isCleared: boolean }): Payload {
  return {
    type: 'view_closed',
    ...base(fields.person, null),
    view: presentView(fields.view),
    is_cleared: fields.isCleared,
  };
}

export function globalShortcutPayload(fields: {
  person: Person;
  callbackId: string;
  actionTs: string;
  triggerId: string;
}): Payload {
  return {
    type: 'shortcut',
    ...base(fields.person, fields.triggerId),
    callback_id: fields.callbackId,
    action_ts: fields.actionTs,
  };
}

export function messageShortcutPayload(fields: {
  person: Person;
  channel: Channel;
  message: Message;
  callbackId: string;
  actionTs: string;
  triggerId: string;
  responseUrl: string;
}): Payload {
  return {
    type: 'message_action',
    ...base(fields.person, fields.triggerId),
    callback_id: fields.callbackId,
    action_ts: fields.actionTs,
    channel: channelField(fields.channel),
    message_ts: fields.message.ts,
    message: presentMessage(fields.message, { withMetadata: false }),
    response_url: fields.responseUrl,
  };
}

/** An event in the envelope that names its recipient. */
export function eventPayload(fields: {
  event: Payload;
  eventId: string;
  at: Date;
  /** The channel of the event is shared with another workspace. */
  isShared: boolean;
}): Payload {
  return {
    token: VERIFICATION_TOKEN,
    team_id: TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP_ID,
    event: fields.event,
    type: 'event_callback',
    event_id: fields.eventId,
    event_time: Math.floor(fields.at.getTime() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: TEAM.id, user_id: BOT_USER_ID, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: fields.isShared,
    event_context: `4-${Buffer.from(JSON.stringify({ et: fields.event.type, tid: TEAM.id, aid: APP_ID })).toString('base64url')}`,
  };
}
