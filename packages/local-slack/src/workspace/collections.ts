import type { Bookmark, NotificationPause, ReadMark, SharedFile, UserGroup } from './model.ts';

/** Items by id, oldest first. */
export interface Collection<T extends { readonly id: string }> {
  all(): readonly T[];
  find(id: string): T | null;
  /** Adds the item or replaces the one with its id. */
  put(item: T): T;
}

/** The content of a workspace besides people, channels, messages and views. */
export interface Collections {
  readonly bookmarks: Collection<Bookmark>;
  readonly files: Collection<SharedFile>;
  readonly pauses: Collection<NotificationPause>;
  readonly readMarks: Collection<ReadMark>;
  readonly userGroups: Collection<UserGroup>;
}

/** The collections in a snapshot. Older snapshots may lack some. */
export type SavedCollections = {
  readonly [Name in keyof Collections]?: Collections[Name] extends Collection<infer Item> ? readonly Item[] : never;
};

export function createCollections(saved: SavedCollections, changed: () => void): Collections {
  return {
    bookmarks: createCollection(saved.bookmarks ?? [], changed),
    files: createCollection(saved.files ?? [], changed),
    pauses: createCollection(saved.pauses ?? [], changed),
    readMarks: createCollection(saved.readMarks ?? [], changed),
    userGroups: createCollection(saved.userGroups ?? [], changed),
  };
}

export function saveCollections(collections: Collections): SavedCollections {
  return {
    bookmarks: collections.bookmarks.all(),
    files: collections.files.all(),
    pauses: collections.pauses.all(),
    readMarks: collections.readMarks.all(),
    userGroups: collections.userGroups.all(),
  };
}

function createCollection<T extends { readonly id: string }>(saved: readonly T[], changed: () => void): Collection<T> {
  const items = new Map(saved.map((item) => [item.id, item]));
  return {
    all: () => [...items.values()],
    find: (id) => items.get(id) ?? null,
    put(item) {
      items.set(item.id, item);
      changed();
      return item;
    },
  };
}
