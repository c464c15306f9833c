import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { View } from '../model.ts';
import { presentView } from '../present.ts';
import { parseView } from '../validation/view.ts';
import type { Arguments, Method, MethodDeps } from './method.ts';

export const viewMethods: Readonly<Record<string, Method>> = {
  'views.open': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const content = readView(args, deps, 'modal');
      const viewer = deps.triggers.redeem(readTrigger(args));
      deps.workspace.clearViews(viewer);
      return { view: presentView(deps.workspace.pushView(viewer, content)) };
    },
  },

  'views.push': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const content = readView(args, deps, 'modal');
      const viewer = deps.triggers.redeem(readTrigger(args));
      const stack = deps.workspace.openViews(viewer);
      if (stack.length === 0) {
        throw new SlackError('not_found');
      }
      if (stack.length >= LIMITS.modalStack) {
        throw new SlackError('push_limit_reached');
      }
      return { view: presentView(deps.workspace.pushView(viewer, content)) };
    },
  },

  'views.update': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const content = readView(args, deps, 'modal');
      const view = findOpenView(args, deps);
      const hash = args.text('hash');
      if (hash !== null && hash !== view.hash) {
        throw new SlackError('hash_conflict');
      }
      return { view: presentView(deps.workspace.changeView(view.id, { content, errors: {}, trouble: null })) };
    },
  },

  'views.publish': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const userId = args.needed('user_id');
      if (deps.workspace.findPerson(userId)?.id !== userId) {
        throw new SlackError('user_not_found');
      }
      return { view: presentView(deps.workspace.publishHome(userId, readView(args, deps, 'home'))) };
    },
  },
};

function readView(args: Arguments, deps: MethodDeps, type: 'modal' | 'home'): View['content'] {
  const view = args.json('view', 'invalid_arguments');
  if (view === undefined) {
    throw invalidArguments('missing required field: view');
  }
  return parseView(view, type, deps.workspace);
}

/** Slack knows the argument as trigger_id, and as interactivity_pointer in workflow steps. */
function readTrigger(args: Arguments): string {
  return args.text('interactivity_pointer') ?? args.needed('trigger_id');
}

function findOpenView(args: Arguments, deps: MethodDeps): View {
  const id = args.text('view_id');
  const externalId = args.text('external_id');
  if (id === null && externalId === null) {
    throw invalidArguments('missing required field: view_id');
  }
  const view =
    id === null
      ? deps.workspace
          .people()
          .flatMap((person) => deps.workspace.openViews(person.id))
          .find((open) => open.content.external_id === externalId)
      : deps.workspace.findView(id);
  if (view === null || view === undefined) {
    throw new SlackError('not_found');
  }
  return view;
}
