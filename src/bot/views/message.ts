import { LIMITS } from './limits.ts';

/** The complete text of a message from its lines; empty ones are dropped. */
export function messageText(lines: readonly string[], max: number = LIMITS.messageText): string {
  const whole = lines.filter((line) => line !== '');
  const kept = fitting(whole, max - 2);
  return [...kept, ...(kept.length < whole.length ? ['…'] : [])].join('\n');
}

/** The first of the texts, as many as have at most `max` characters with a separator after each. */
export function fitting(texts: readonly string[], max: number, separator = '\n'): readonly string[] {
  let length = 0;
  const tooMany = texts.findIndex((text) => {
    length += text.length + separator.length;
    return length > max;
  });
  return tooMany < 0 ? texts : texts.slice(0, tooMany);
}
