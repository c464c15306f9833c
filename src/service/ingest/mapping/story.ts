import type { MappedReading } from './mapped-event.ts';
import { settle } from './settle.ts';

/** What an event would do, in words for people. `isDoubtful` marks what somebody should look at. */
export interface StoryLine {
  readonly text: string;
  readonly isDoubtful: boolean;
  readonly does: 'ends' | 'ends nothing' | 'is refused' | 'other';
}

/** Whether more failures end in a story than in another of the same events, or as many and less is lost. */
export function isBetterStory(story: readonly StoryLine[], than: readonly StoryLine[]): boolean {
  const more = (...wanted: readonly StoryLine['does'][]) =>
    story.filter(({ does }) => wanted.includes(does)).length - than.filter(({ does }) => wanted.includes(does)).length;
  return more('ends') > 0 || (more('ends') === 0 && more('ends nothing', 'is refused') < 0);
}

/**
 * Tells what events would do one after the other if nothing was open before: what opens, what is the same again, what ends
 * which failure, and what ends nothing.
 *
 * @param readings the oldest first
 */
export function tellStory(readings: readonly MappedReading[]): StoryLine[] {
  const titles = new Map<string, string>();
  const open = new Map<string, string | null>();
  const nameOf = (fingerprint: string) => `“${titles.get(fingerprint) ?? 'a failure that did not come before'}”`;
  return readings.map((reading): StoryLine => {
    const before = new Map(open);
    const by = 'user' in reading && reading.user !== null ? ` as ${reading.user}` : '';
    const line = (text: string, isDoubtful = false, does: StoryLine['does'] = 'other') => ({ text, isDoubtful, does });
    if (reading.kind === 'fails' || reading.kind === 'unknown') {
      const { fingerprint, summary, service, severity } = reading.signal;
      const isOpen = open.has(fingerprint);
      const { asked } = settle([reading], before, new Date(0));
      if (asked.some(({ isWaiting }) => isWaiting)) {
        return line(`waits: is “${reading.word}” the end of ${nameOf(fingerprint)}?`, true);
      }
      const others = [...open.keys()].filter((each) => each !== fingerprint).length;
      titles.set(fingerprint, summary);
      open.set(fingerprint, reading.word);
      const unsure = reading.kind === 'unknown' ? `; what “${reading.word}” means is not known` : '';
      if (isOpen) {
        return line(`is the same failure again: ${nameOf(fingerprint)}${unsure}`, unsure !== '');
      }
      const apart = others > 0 ? ', apart from what is open' : '';
      return line(`opens ${nameOf(fingerprint)}, ${severity}, of ${service}${apart}${unsure}`, unsure !== '');
    }
    switch (reading.kind) {
      case 'over':
        return open.delete(reading.fingerprint)
          ? line(
              `ends ${nameOf(reading.fingerprint)}${reading.note === null ? '' : ` with a note${by}`}`,
              false,
              'ends',
            )
          : line('ends nothing: no failure with this key came before it', true, 'ends nothing');
      case 'acknowledged':
        return line(`acknowledges ${nameOf(reading.fingerprint)}${by}`, !open.has(reading.fingerprint));
      case 'noted':
        return line(`writes a note to ${nameOf(reading.fingerprint)}${by}`, !open.has(reading.fingerprint));
      case 'ignored':
        return line('changes nothing');
      case 'unreadable':
        return line('is refused: it has no title', true, 'is refused');
      default:
        return reading satisfies never;
    }
  });
}
