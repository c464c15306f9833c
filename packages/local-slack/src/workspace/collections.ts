import type { Bookmark, EntityDetails, ReadMark, ScheduledMessage, SharedFile, UserGroup } from './model.ts';

/** Items by id, oldest first. */
export interface Collection<T extends { readonly id: string }> {
  all(): readonly T[];
  find(id: string): T | null;
  /** Adds the item or replaces the one with its id. */
  put(item: T): T;
  remove(id: string): void;
}

/** The content of a workspace besides people, channels, messages and views. */
export interface Collections {
  readonly bookmarks: Collection<Bookmark>;
  readonly files: Collection<SharedFile>;
  readonly readMarks: Collection<ReadMark>;
  readonly scheduledMessages: Collection<ScheduledMessage>;
  readonly userGroups: Collection<UserGroup>;
  /** Like open modals, these are not saved. */
  readonly entityDetails: Collection<EntityDetails>;
}

/** The collections in a snapshot. Older snapshots may lack some. */
export type SavedCollections = {
  readonly [Name in Exclude<keyof Collections, 'entityDetails'>]?: Collections[Name] extends Collection<infer Item>
    ? readonly Item[]
    : never;
};

export function createCollections(saved: SavedCollections, changed: () => void): Collections {
  return {
    bookmarks: createCollection(saved.bookmarks ?? [], changed),
    files: createCollection(saved.files ?? [], changed),
    readMarks: createCollection(saved.readMarks ?? [], changed),
    scheduledMessages: createCollection(saved.scheduledMessages ?? [], changed),
    userGroups: createCollection(saved.userGroups ?? [], changed),
    entityDetails: createCollection<EntityDetails>([], changed),
  };
}

export function saveCollections(collections: Collections): SavedCollections {
  return {
    bookmarks: collections.bookmarks.all(),
    files: collections.files.all(),
    readMarks: collections.readMarks.all(),
    scheduledMessages: collections.scheduledMessages.all(),
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
    remove(id) {
      items.delete(id);
      changed();
    },
  };
}
