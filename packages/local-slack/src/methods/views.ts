import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { parseView } from '../validation/view.ts';
import type { View } from '../workspace/model.ts';
import { presentView } from '../workspace/present.ts';
import type { Arguments, Method, MethodDeps } from './method.ts';

export const viewMethods: Readonly<Record<string, Method>> = {
  'views.open': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const content = readView(args, deps, 'modal');
      const viewer = deps.triggers.redeem(readTrigger(args));
      refuseTaken(deps, content, null);
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
      refuseTaken(deps, content, null);
      return { view: presentView(deps.workspace.pushView(viewer, content)) };
    },
  },

  'views.update': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const content = readView(args, deps, 'modal');
      const view = findOpenView(args, deps);
      refuseStale(args, view);
      refuseTaken(deps, content, view);
      return { view: presentView(deps.workspace.changeView(view.id, { content, errors: {}, failure: null })) };
    },
  },

  'views.publish': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const userId = args.needed('user_id');
      if (deps.workspace.findPerson(userId)?.id !== userId) {
        throw invalidArguments('invalid `user_id`');
      }
      if (!deps.manifest.features.app_home.home_tab_enabled) {
        throw new SlackError('not_enabled');
      }
      const content = readView(args, deps, 'home');
      const before = deps.workspace.findHome(userId);
      refuseStale(args, before);
      refuseTaken(deps, content, before);
      return { view: presentView(deps.workspace.publishHome(userId, content)) };
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

/** With a hash, the view is only replaced if it has not changed since. */
function refuseStale(args: Arguments, view: View | null): void {
  const hash = args.text('hash');
  if (hash !== null && view !== null && hash !== view.hash) {
    throw new SlackError('hash_conflict');
  }
}

/** An `external_id` is unique in the workspace. */
function refuseTaken(deps: MethodDeps, content: View['content'], replaced: View | null): void {
  const views = [...openViews(deps), ...deps.workspace.homeViews()];
  const isTaken = views.some((view) => view.content.external_id === content.external_id && view.id !== replaced?.id);
  if (content.external_id !== '' && isTaken) {
    throw new SlackError('duplicate_external_id');
  }
}

function openViews(deps: MethodDeps): View[] {
  return deps.workspace.people().flatMap((person) => deps.workspace.openViews(person.id));
}

/** Workflow steps send `interactivity_pointer` instead of `trigger_id`. */
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
    id === null ? openViews(deps).find((open) => open.content.external_id === externalId) : deps.workspace.findView(id);
  if (view === null || view === undefined) {
    throw new SlackError('not_found');
  }
  return view;
}
