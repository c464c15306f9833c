import { elementsOf, withNested } from '../validation/blocks.ts';
import type { Block, Channel, Ephemeral, Message, Person, View } from '../workspace/model.ts';
import { presentMessage, presentView } from '../workspace/present.ts';
import { APP_ID, BOT_USER_ID, TEAM, VERIFICATION_TOKEN } from '../workspace/seed.ts';

type Payload = Readonly<Record<string, unknown>>;

/** What every interaction carries. */
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

export function commandPayload(facts: {
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
    channel_id: facts.channel.id,
    channel_name: channelField(facts.channel).name,
    user_id: facts.person.id,
    user_name: facts.person.name,
    command: facts.command,
    text: facts.text,
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: facts.responseUrl,
    trigger_id: facts.triggerId,
  };
}

export function messageActionPayload(facts: {
  person: Person;
  channel: Channel;
  message: Message | Ephemeral;
  values: Payload;
  action: Payload;
  triggerId: string;
  responseUrl: string;
}): Payload {
  const { message } = facts;
  return {
    type: 'block_actions',
    ...base(facts.person, facts.triggerId),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: facts.channel.id,
      is_ephemeral: message.kind === 'ephemeral',
      ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    },
    channel: channelField(facts.channel),
    // An ephemeral message is not given back to the app.
    ...(message.kind === 'message' && { message: presentMessage(message, { withMetadata: false }) }),
    state: { values: facts.values },
    response_url: facts.responseUrl,
    actions: [facts.action],
  };
}

export function viewActionPayload(facts: {
  person: Person;
  view: View;
  values: Payload;
  action: Payload;
  triggerId: string;
}): Payload {
  return {
    type: 'block_actions',
    ...base(facts.person, facts.triggerId),
    container: { type: 'view', view_id: facts.view.id },
    view: presentView(facts.view, facts.values),
    actions: [facts.action],
  };
}

/** What an app is asked for the options of an external select. */
export function suggestionPayload(facts: {
  person: Person;
  place: Message | Ephemeral | View;
  channel: Channel | null;
  block: Block;
  element: Payload;
  typed: string;
}): Payload {
  const { place, channel } = facts;
  return {
    type: 'block_suggestion',
    ...base(facts.person, null),
    action_id: facts.element.action_id,
    block_id: facts.block.block_id,
    value: facts.typed,
    ...(place.kind === 'view'
      ? { container: { type: 'view', view_id: place.id }, view: presentView(place) }
      : { container: { type: 'message', message_ts: place.ts, channel_id: place.channel } }),
    ...(channel !== null && { channel: channelField(channel) }),
    ...(place.kind === 'message' && { message: presentMessage(place, { withMetadata: false }) }),
  };
}

export function submissionPayload(facts: { person: Person; view: View; values: Payload; triggerId: string }): Payload {
  return {
    type: 'view_submission',
    ...base(facts.person, facts.triggerId),
    view: presentView(facts.view, facts.values),
    response_urls: [],
  };
}

export function closedPayload(facts: { person: Person; view: View; isCleared: boolean }): Payload {
  return {
    type: 'view_closed',
    ...base(facts.person, null),
    view: presentView(facts.view),
    is_cleared: facts.isCleared,
  };
}

export function globalShortcutPayload(facts: {
  person: Person;
  callbackId: string;
  actionTs: string;
  triggerId: string;
}): Payload {
  return {
    type: 'shortcut',
    ...base(facts.person, facts.triggerId),
    callback_id: facts.callbackId,
    action_ts: facts.actionTs,
  };
}

export function messageShortcutPayload(facts: {
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
    ...base(facts.person, facts.triggerId),
    callback_id: facts.callbackId,
    action_ts: facts.actionTs,
    channel: channelField(facts.channel),
    message_ts: facts.message.ts,
    message: presentMessage(facts.message, { withMetadata: false }),
    response_url: facts.responseUrl,
  };
}

/** Who receives an event is told beside it. */
export function eventPayload(facts: { event: Payload; eventId: string; at: Date }): Payload {
  return {
    token: VERIFICATION_TOKEN,
    team_id: TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP_ID,
    event: facts.event,
    type: 'event_callback',
    event_id: facts.eventId,
    event_time: Math.floor(facts.at.getTime() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: TEAM.id, user_id: BOT_USER_ID, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${Buffer.from(JSON.stringify({ et: facts.event.type, tid: TEAM.id, aid: APP_ID })).toString('base64url')}`,
  };
}

/** An element of a message or view that a person can act on, with the block it is in. */
export interface Actionable {
  readonly block: Block;
  readonly element: Readonly<Record<string, unknown>>;
}

/** An `action_id`, what a person reads on it, or both ids where several blocks use one `action_id`. */
export type ClickTarget = string | { readonly blockId: string; readonly actionId: string };

export function findActionable(blocks: readonly Block[], target: ClickTarget): Actionable | null {
  const all = withNested(blocks).flatMap((block) => elementsOf(block).map((element) => ({ block, element })));
  if (typeof target !== 'string') {
    const isMeant = ({ block, element }: Actionable): boolean =>
      block.block_id === target.blockId && element.action_id === target.actionId;
    return all.find(isMeant) ?? null;
  }
  return (
    all.find(({ element }) => element.action_id === target) ??
    all.find(({ element }) => labelOf(element) === target) ??
    null
  );
}

function labelOf(element: Readonly<Record<string, unknown>>): unknown {
  return (element.text as { text?: unknown } | undefined)?.text;
}
