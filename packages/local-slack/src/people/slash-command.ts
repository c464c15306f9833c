import type { Ack } from '../delivery/delivery.ts';
import { commandPayload } from '../delivery/payloads.ts';
import { SlackError } from '../errors.ts';
import type { Channel, Person } from '../workspace/model.ts';
import { getChannelOf } from './conversation-actions.ts';
import type { Outcome, PeopleDeps } from './interaction.ts';
import { escapeCommand } from './typed-text.ts';

/** @returns types a slash command in a channel: `command('playground', '/hello Ana')` */
export function createCommand(deps: PeopleDeps, person: Person): (channel: string, typed: string) => Promise<Outcome> {
  const { workspace, manifest, triggers, responses, delivery } = deps;

  function showInChannel(channel: Channel, text: string, ack: Ack | null): Outcome {
    workspace.postEphemeral({
      channel: channel.id,
      viewer: person.id,
      from: 'slackbot',
      content: { text, blocks: [] },
    });
    return { ack, shown: text };
  }

  return async (channelReference, typed) => {
    const channel = getChannelOf(workspace, person, channelReference);
    const [name = '', ...rest] = typed.trim().split(' ');
    const known = manifest.features.slash_commands.find((each) => each.command === name);
    if (known === undefined) {
      return showInChannel(channel, `${name} is not a valid command.`, null);
    }
    const text = rest.join(' ').trim();
    const path = responses.issue({ viewer: person.id, channel: channel.id, threadTs: null, original: null });
    const payload = commandPayload({
      person,
      channel,
      command: name,
      text: known.should_escape ? escapeCommand(text, workspace) : text,
      triggerId: triggers.issue(person.id),
      responseUrl: deps.baseUrl() + path,
    });

    const ack = await delivery.deliver({ type: 'slash_commands', payload });
    if (ack.kind !== 'acked') {
      return showInChannel(channel, commandFailure(name, ack), ack);
    }
    if (ack.body !== null) {
      try {
        responses.respond(path, ack.body);
      } catch (error) {
        if (error instanceof SlackError) {
          return showInChannel(channel, `${name} failed with the error "${error.code}"`, ack);
        }
        throw error;
      }
    }
    return { ack, shown: null };
  };
}

function commandFailure(name: string, ack: Exclude<Ack, { kind: 'acked' }>): string {
  switch (ack.kind) {
    case 'timeout':
      return `${name} failed because the app did not respond (operation_timeout).`;
    case 'unreachable':
      return `${name} failed with the error "dispatch_failed".`;
    case 'refused':
      return `${name} failed with the error "http_service_error" (the app answered ${ack.status}).`;
  }
}
