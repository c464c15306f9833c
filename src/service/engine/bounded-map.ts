/** Share of the entries that one eviction drops. */
const DROPPED_SHARE = 0.1;

/**
 * Drops the oldest entries of a map or set that holds more than `most`. Several at a time, because the first entry is
 * found by skipping the places of all that were deleted before.
 */
export function dropOldest<K>(kept: Map<K, unknown> | Set<K>, most: number): void {
  if (kept.size <= most) {
    return;
  }
  let left = Math.ceil(most * DROPPED_SHARE);
  for (const key of kept.keys()) {
    if (left === 0) {
      return;
    }
    kept.delete(key);
    left -= 1;
  }
}

/** The entry of a map that holds at most `most`; creating one beyond that drops those that were created first. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, most: number, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const created = create();
  map.set(key, created);
  dropOldest(map, most);
  return created;
}

/**
 * The same, but creating one beyond `most` evicts the rarest entries, the oldest first, of the sender that has the most, so
 * that made-up names evict only made-up names.
 *
 * @param map its keys are made by `senderKey`
 * @param weigh how often an entry was seen
 */
export function getOrCreateFrequent<V>(
  map: Map<string, V>,
  key: string,
  most: number,
  create: () => V,
  weigh: (value: V) => number,
): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  makeRoom(map, most, senderIn, weigh);
  const created = create();
  map.set(key, created);
  return created;
}

/**
 * Makes room for an entry in a map that holds at most `most`: evicts the entries of the sender that has the most, the
 * lightest first, the oldest of them first.
 */
export function makeRoom<V>(
  map: Map<string, V>,
  most: number,
  senderOf: (key: string, value: V) => string,
  weigh: (value: V) => number,
): void {
  if (map.size < most) {
    return;
  }
  const bySender = Map.groupBy(map, ([key, value]) => senderOf(key, value));
  const [greediest = []] = [...bySender.values()].toSorted((a, b) => b.length - a.length);
  const lightest = greediest
    .map(([key, value]) => ({ key, weight: weigh(value) }))
    .toSorted((a, b) => a.weight - b.weight);
  for (const { key } of lightest.slice(0, Math.ceil(most * DROPPED_SHARE))) {
    map.delete(key);
  }
}

/** A key of what one sender reports. */
export function senderKey(sender: string, ...names: readonly (string | null)[]): string {
  return [sender, ...names].join('|');
}

/** The sender that a `senderKey` begins with. */
export function senderIn(key: string): string {
  return key.slice(0, key.indexOf('|'));
}

/** Counts by key; beyond `most` keys, new ones are not counted. */
export function increase<K>(counts: Map<K, number>, key: K, by: number, most: number): void {
  const known = counts.get(key);
  if (known !== undefined || counts.size < most) {
    counts.set(key, (known ?? 0) + by);
  }
}

export function sumOf(counts: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const count of counts.values()) {
    sum += count;
  }
  return sum;
}

/** Halves all counts, so that old ones do not outweigh what comes later. A count of at most a half is dropped. */
export function halveCounts<K>(counts: Map<K, number>): void {
  for (const [key, count] of counts) {
    if (count <= 0.5) {
      counts.delete(key);
    } else {
      counts.set(key, count / 2);
    }
  }
}

/** Sets an entry and makes it the newest; beyond `most` the oldest go. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, most);
}

/** Adds a value to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key);
  if (known === undefined) {
    lists.set(key, [value]);
  } else {
    known.push(value);
  }
}
