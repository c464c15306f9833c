/**
 * State as JSON text and back. Maps and sets keep their order, so that the order of eviction stays the same. NaN and
 * infinite numbers are kept.
 */
export function toSnapshot(state: unknown): string {
  return JSON.stringify(state, (_key, value: unknown) => {
    if (value instanceof Map) {
      return { $map: [...value] };
    }
    if (value instanceof Set) {
      return { $set: [...value] };
    }
    return typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value;
  });
}

/** @param text of `toSnapshot`; the caller vouches for its type and version */
export function fromSnapshot<State>(text: string): State {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if ('$map' in value) {
      return new Map(value.$map as [unknown, unknown][]);
    }
    if ('$set' in value) {
      return new Set(value.$set as unknown[]);
    }
    return '$number' in value ? Number(value.$number) : value;
  }) as State;
}
