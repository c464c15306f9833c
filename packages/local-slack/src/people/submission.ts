import type { Ack } from '../delivery/delivery.ts';
import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { parseView } from '../validation/view.ts';
import type { View } from '../workspace/model.ts';
import type { Workspace } from '../workspace/workspace.ts';

interface SubmissionResult {
  readonly errors: Readonly<Record<string, string>>;
  readonly shown: string | null;
}

const CONNECTION_FAILURE = 'We had some trouble connecting. Try again?';

/** Applies the app's response to a submission: close, errors, update, push or clear. */
export function applySubmissionResponse(workspace: Workspace, view: View, ack: Ack): SubmissionResult {
  if (ack.kind !== 'acked') {
    return fail(workspace, view);
  }
  if (workspace.findView(view.id) === null) {
    return { errors: {}, shown: null }; // the person closed it meanwhile
  }
  try {
    return applyAction(workspace, view, ack.body);
  } catch (error) {
    if (error instanceof SlackError) {
      return fail(workspace, view);
    }
    throw error;
  }
}

/** @throws SlackError when the response is invalid */
function applyAction(
  workspace: Workspace,
  view: View,
  body: Readonly<Record<string, unknown>> | null,
): SubmissionResult {
  const done: SubmissionResult = { errors: {}, shown: null };
  switch (body?.response_action) {
    case undefined:
      workspace.popView(view.id);
      return done;
    case 'clear':
      workspace.clearViews(view.viewer);
      return done;
    case 'update':
      workspace.changeView(view.id, { content: parseView(body?.view, 'modal', workspace) });
      return done;
    case 'push':
      if (workspace.openViews(view.viewer).length >= LIMITS.modalStack) {
        throw new SlackError('push_limit_reached');
      }
      workspace.pushView(view.viewer, parseView(body?.view, 'modal', workspace));
      return done;
    case 'errors': {
      const errors = readErrors(view, body?.errors);
      workspace.changeView(view.id, { errors });
      return { errors, shown: null };
    }
    default:
      throw new SlackError('invalid_response_action');
  }
}

/** Every error must belong to an input of the view. */
function readErrors(view: View, raw: unknown): Record<string, string> {
  const inputs = new Set(view.content.blocks.filter((block) => block.type === 'input').map((block) => block.block_id));
  if (!isFields(raw) || Object.keys(raw).length === 0 || !Object.keys(raw).every((blockId) => inputs.has(blockId))) {
    throw new SlackError('invalid_errors');
  }
  return Object.fromEntries(Object.entries(raw).map(([blockId, message]) => [blockId, String(message)]));
}

function fail(workspace: Workspace, view: View): SubmissionResult {
  if (workspace.findView(view.id) !== null) {
    workspace.changeView(view.id, { failure: CONNECTION_FAILURE });
  }
  return { errors: {}, shown: CONNECTION_FAILURE };
}
