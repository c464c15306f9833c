import { closest } from '../runtime/closest.ts';
import { SECRET_SETTINGS } from './secret-files.ts';
import { Env } from './settings.ts';

const SETTINGS = [...Object.keys(Env.shape), ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
const IS_SETTING: ReadonlySet<string> = new Set(SETTINGS);

/** Shorter names resemble variables that every shell has: HOME is two letters from HOST. */
const SHORTEST = 8;

/**
 * Variables that are no settings but almost have the name of one that is not set, so that somebody may have meant it.
 *
 * @returns a sentence for each, without its value
 */
export function misspeltSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const missing = SETTINGS.filter((name) => name.length >= SHORTEST && env[name] === undefined);
  return Object.keys(env)
    .filter((name) => !IS_SETTING.has(name))
    .flatMap((name) => {
      const meant = closest(name, missing);
      return meant === null ? [] : [`${name} is not a setting and is ignored: did you mean ${meant}?`];
    });
}
