import { z } from 'zod';

const MuteValue = z.tuple([z.string(), z.enum(['service', 'integration']), z.string()]);

/** Reads the value of "End" beside a mute; null: it is from another version. */
export function parseMuteValue(value: string) {
  try {
    const [muteId, target, name] = MuteValue.parse(JSON.parse(value));
    return { muteId, target, value: name };
  } catch {
    return null;
  }
}
