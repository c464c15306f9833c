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
