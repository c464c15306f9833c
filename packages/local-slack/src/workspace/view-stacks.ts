import type { View, ViewContent } from './model.ts';

/** The open modals of all people, and their Home tabs. */
export interface ViewStacks {
  /** The last one is visible. */
  openViews(viewer: string): readonly View[];
  findView(id: string): View | null;
  pushView(viewer: string, content: ViewContent): View;
  changeView(id: string, change: Partial<Pick<View, 'content' | 'errors' | 'failure'>>): View;
  popView(id: string): void;
  clearViews(viewer: string): void;
  publishHome(viewer: string, content: ViewContent): View;
  findHome(viewer: string): View | null;
  homeViews(): readonly View[];
}

export function createViewStacks(deps: {
  homeViews: readonly View[];
  nextId: (prefix: string) => string;
  nextHash: () => string;
  changed: () => void;
}): ViewStacks {
  const { nextId, nextHash, changed } = deps;
  const homes = new Map(deps.homeViews.map((view) => [view.viewer, view]));
  const stacks = new Map<string, readonly View[]>();

  function build(viewer: string, content: ViewContent, stack: readonly View[]): View {
    const id = nextId('V');
    return {
      kind: 'view',
      id,
      viewer,
      hash: nextHash(),
      rootViewId: stack[0]?.id ?? id,
      previousViewId: stack.at(-1)?.id ?? null,
      content,
      errors: {},
      failure: null,
    };
  }

  function findView(id: string): View | null {
    return [...stacks.values()].flat().find((view) => view.id === id) ?? null;
  }

  return {
    openViews: (viewer) => stacks.get(viewer) ?? [],
    findView,
    pushView(viewer, content) {
      const stack = stacks.get(viewer) ?? [];
      const view = build(viewer, content, stack);
      stacks.set(viewer, [...stack, view]);
      changed();
      return view;
    },
    changeView(id, change) {
      const before = findView(id);
      if (before === null) {
        throw new Error(`view ${id} is not open`);
      }
      const next: View = { ...before, ...change, hash: change.content === undefined ? before.hash : nextHash() };
      const stack = stacks.get(before.viewer) ?? [];
      stacks.set(
        before.viewer,
        stack.map((view) => (view.id === id ? next : view)),
      );
      changed();
      return next;
    },
    popView(id) {
      for (const [viewer, stack] of stacks) {
        stacks.set(
          viewer,
          stack.filter((view) => view.id !== id),
        );
      }
      changed();
    },
    clearViews(viewer) {
      stacks.delete(viewer);
      changed();
    },
    publishHome(viewer, content) {
      const before = homes.get(viewer);
      // One Home per person, updated in place, so that a click on what was shown before still finds it.
      const view = before === undefined ? build(viewer, content, []) : { ...before, content, hash: nextHash() };
      homes.set(viewer, view);
      changed();
      return view;
    },
    findHome: (viewer) => homes.get(viewer) ?? null,
    homeViews: () => [...homes.values()],
  };
}
