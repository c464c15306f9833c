import { LIMITS } from './limits.ts';

/** Joins lines into the text of a message, up to `max` characters; drops empty lines. */
export function messageText(lines: readonly string[], max: number = LIMITS.messageText): string {
  const whole = lines.filter((line) => line !== '');
  const kept = fitting(whole, max - 2);
  return [...kept, ...(kept.length < whole.length ? ['…'] : [])].join('\n');
}

/** Returns the first texts that together have at most `max` characters, with a separator after each. */
export function fitting(texts: readonly string[], max: number, separator = '\n'): readonly string[] {
  let length = 0;
  const tooMany = texts.findIndex((text) => {
    length += text.length + separator.length;
    return length > max;
  });
  return tooMany < 0 ? texts : texts.slice(0, tooMany);
}
