/** The entry of a map that holds at most `most`; creating one beyond that drops the entry that was created first. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, most: number, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const created = create();
  map.set(key, created);
  if (map.size > most) {
    const [oldest] = map.keys();
    map.delete(oldest as K);
  }
  return created;
}

/** Share of the entries that one eviction drops. */
const DROPPED_SHARE = 0.1;

/**
 * The same, but creating one beyond `most` evicts the rarest entries, the oldest first, so that made-up names evict
 * only made-up names.
 *
 * @param weigh how often an entry was seen
 */
export function getOrCreateFrequent<K, V>(
  map: Map<K, V>,
  key: K,
  most: number,
  create: () => V,
  weigh: (value: V) => number,
): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  if (map.size >= most) {
    const rarest = [...map]
      .map(([name, value]) => ({ name, weight: weigh(value) }))
      .toSorted((a, b) => a.weight - b.weight);
    for (const { name } of rarest.slice(0, Math.ceil(most * DROPPED_SHARE))) {
      map.delete(name);
    }
  }
  const created = create();
  map.set(key, created);
  return created;
}

/** Counts by key; beyond `most` keys, new ones are not counted. */
export function increase<K>(counts: Map<K, number>, key: K, by: number, most: number): void {
  const known = counts.get(key);
  if (known !== undefined || counts.size < most) {
    counts.set(key, (known ?? 0) + by);
  }
}

/** Sets an entry and makes it the newest; beyond `most` the oldest goes. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) {
    const [oldest] = map.keys();
    map.delete(oldest as K);
  }
}
