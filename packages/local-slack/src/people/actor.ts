import {
  closedPayload,
  globalShortcutPayload,
  messageActionPayload,
  messageShortcutPayload,
  submissionPayload,
  suggestionPayload,
  viewActionPayload,
} from '../delivery/payloads.ts';
import type { ResponseTarget } from '../delivery/response-url.ts';
import { ImpossibleActionError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Ephemeral, Message, Person, View } from '../workspace/model.ts';
import { toTs } from '../workspace/present.ts';
import { type ConversationActions, createConversationActions, getChannelOf } from './conversation-actions.ts';
import { type ClickTarget, type Found, findInPlace } from './find-element.ts';
import { inputErrors } from './input-errors.ts';
import { createInputState } from './input-state.ts';
import { elementState, fill, type InputValue, type InputValues, keyOf, stateValues } from './input-values.ts';
import type { Outcome, PeopleDeps } from './interaction.ts';
import { createCommand } from './slash-command.ts';
import { applySubmissionResponse } from './submission.ts';
import { escapeTyped } from './typed-text.ts';

export interface SubmitOutcome extends Outcome {
  /** By block_id, from Slack's own checks or from the app. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The options that the app offers in an external select. */
export interface SuggestOutcome extends Outcome {
  readonly options?: unknown;
  readonly option_groups?: unknown;
}

/** Everything that a person can do on the page. Tests use it as `slack.as('ana')`. */
export interface Actor extends ConversationActions {
  readonly id: string;
  /** Types a slash command: `command('playground', '/hello Ana')`. */
  command(channel: string, typed: string): Promise<Outcome>;
  /** Posts a message. A text that starts with a slash is a command. */
  message(channel: string, text: string, threadTs?: string): Promise<Outcome>;
  /**
   * Uses an element: a button by its action_id or text, a select with the chosen value. A confirm dialog counts as
   * confirmed. `values` are the current values of the other elements.
   */
  click(
    place: Message | Ephemeral | View,
    target: ClickTarget,
    chosen?: InputValue | null,
    values?: InputValues,
  ): Promise<Outcome>;
  /** Types into an external select. */
  suggest(place: Message | Ephemeral | View, target: ClickTarget, typed: string): Promise<SuggestOutcome>;
  submit(view: View, values: InputValues): Promise<SubmitOutcome>;
  close(view: View): Promise<Outcome>;
  /** Runs a shortcut of the manifest: a message shortcut when a message is given, else a global one. */
  shortcut(callbackId: string, message?: Message): Promise<Outcome>;
}

const NOTHING_SENT: Outcome = { ack: null, shown: null };

export function createActor(deps: PeopleDeps, person: Person): Actor {
  const { workspace, manifest, triggers, suggestions, delivery } = deps;
  const inputState = createInputState(suggestions);
  const command = createCommand(deps, person);
  const appName = manifest.display_information.name;

  function issueResponseUrl(target: Omit<ResponseTarget, 'viewer'>): string {
    return deps.baseUrl() + deps.responses.issue({ ...target, viewer: person.id });
  }

  async function interact(payload: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const ack = await delivery.deliver({ type: 'interactive', payload });
    return { ack, shown: ack.kind === 'acked' ? null : `${appName} did not respond. Try again.` };
  }

  return {
    ...createConversationActions(deps, person),
    id: person.id,
    command,

    async message(channelReference, text, threadTs) {
      if (text.startsWith('/')) {
        return await command(channelReference, text);
      }
      const channel = getChannelOf(workspace, person, channelReference);
      const content = { text: escapeTyped(text, workspace), blocks: [] };
      workspace.post({ channel: channel.id, user: person.id, content, threadTs: threadTs ?? null });
      return NOTHING_SENT;
    },

    async click(place, target, chosen = null, values = {}) {
      const { block, element, unfurl } = getActionable(place, target);
      const action = {
        action_id: element.action_id,
        block_id: block.block_id,
        ...(element.type === 'button'
          ? pick(element, ['type', 'text', 'value', 'style'])
          : elementState(suggestions.complete(place, block, element), chosen)),
        action_ts: toTs(deps.now()),
      };
      const triggerId = triggers.issue(person.id);
      const current = chosen === null ? values : { ...values, [keyOf(block, element)]: chosen };
      const state = inputState.stateOf(place, current);
      if (place.kind === 'view') {
        return await interact(viewActionPayload({ person, view: place, values: state, action, triggerId }));
      }
      const channel = getChannelOf(workspace, person, place.channel);
      const responseUrl = issueResponseUrl({
        channel: channel.id,
        threadTs: place.threadTs,
        original: { kind: place.kind, ts: place.ts },
      });
      return await interact(
        messageActionPayload({
          person,
          channel,
          message: place,
          unfurl,
          values: state,
          action,
          triggerId,
          responseUrl,
        }),
      );
    },

    async suggest(place, target, typed) {
      const { block, element } = getActionable(place, target);
      if (typed.length < Number(element.min_query_length ?? LIMITS.minQueryLength)) {
        return { ...NOTHING_SENT, options: [] };
      }
      const channel = place.kind === 'view' ? null : getChannelOf(workspace, person, place.channel);
      const payload = suggestionPayload({ person, place, channel, block, element, typed });
      const ack = await delivery.deliver({ type: 'interactive', payload });
      const body = ack.kind === 'acked' ? ack.body : null;
      if (!suggestions.remember(place, block, element, body)) {
        return { ack, shown: 'The options could not be loaded.' };
      }
      return { ack, shown: null, options: body?.options, option_groups: body?.option_groups };
    },

    async submit(view, values) {
      const filled = fill(view.content.blocks, values, inputState.completeIn(view));
      const errors = inputErrors(filled);
      workspace.changeView(view.id, { errors, failure: null });
      if (Object.keys(errors).length > 0) {
        return { ...NOTHING_SENT, errors };
      }
      const state = stateValues(filled);
      const triggerId = triggers.issue(person.id);
      const payload = submissionPayload({ person, view, values: state, triggerId });
      const ack = await delivery.deliver({ type: 'interactive', payload });
      return { ack, ...applySubmissionResponse(workspace, view, ack) };
    },

    async close(view) {
      const stack = workspace.openViews(person.id);
      const isCleared = view.content.clear_on_close;
      const closed = isCleared ? stack.toReversed() : [view];
      for (const each of closed) {
        workspace.popView(each.id);
      }
      const notifying = closed.filter((each) => each.content.notify_on_close);
      const outcomes = await Promise.all(
        notifying.map((each) => interact(closedPayload({ person, view: each, isCleared }))),
      );
      return { ack: outcomes[0]?.ack ?? null, shown: null };
    },

    async shortcut(callbackId, message) {
      const type = message === undefined ? 'global' : 'message';
      const known = manifest.features.shortcuts.find((each) => each.callback_id === callbackId && each.type === type);
      if (known === undefined) {
        throw new ImpossibleActionError(`the manifest has no ${type} shortcut ${callbackId}`);
      }
      const fields = {
        person,
        callbackId,
        actionTs: toTs(deps.now()),
        triggerId: triggers.issue(person.id),
      };
      if (message === undefined) {
        return await interact(globalShortcutPayload(fields));
      }
      const channel = getChannelOf(workspace, person, message.channel);
      const responseUrl = issueResponseUrl({
        channel: channel.id,
        threadTs: message.threadTs,
        original: { kind: 'message', ts: message.ts },
      });
      return await interact(messageShortcutPayload({ ...fields, channel, message, responseUrl }));
    },
  };
}

/** @throws ImpossibleActionError when the element does not exist */
function getActionable(place: Message | Ephemeral | View, target: ClickTarget): Found {
  const found = findInPlace(place, target);
  if (found === null) {
    throw new ImpossibleActionError(`there is no element ${JSON.stringify(target)} in this ${place.kind}`);
  }
  return found;
}

function pick(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
