import { z } from 'zod';

/** Characters of the service's name or integration's id in the value of a button. Slack allows 2,000 for the value. */
const LONGEST_VALUE = 250;

const MuteValue = z.tuple([z.string(), z.string(), z.string()]);

/** Reads the value of "End" beside a mute; null: it is from another version. */
export function parseMuteValue(value: string) {
  try {
    const [muteId, target, name] = MuteValue.parse(JSON.parse(value));
    return { muteId, target, value: name };
  } catch {
    return null;
  }
}

/** The value of a button that ends a mute. */
export function muteValue({ id, target, value }: { id: string; target: string; value: string }): string {
  return JSON.stringify([id, target, value.slice(0, LONGEST_VALUE)]);
}
