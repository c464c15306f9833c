import type { Refusal } from './refusals.ts';

/** Another process may have found the way free again, and left nothing to try to this one. */
const FORGOTTEN_MS = 5 * 60_000;

/** What one process has been refused by Slack, for as long as it may still be so. */
export interface Problems {
  /**
   * @param subject that Slack refused to show in that channel
   * @param retryMs when it is tried again
   */
  met(channelId: string, subject: string, refusal: Refusal, retryMs: number): void;
  /** The subject is shown in that channel. */
  solved(channelId: string, subject: string): void;
  ofToken(): string | null;
  ofChannel(channelId: string): string | null;
}

export function createProblems(now: () => Date): Problems {
  const known = new Map<
    string,
    { readonly advice: string; readonly channelId: string | null; readonly endsMs: number }
  >();

  function find(matches: (channelId: string | null) => boolean): string | null {
    for (const [key, { endsMs }] of known) {
      if (endsMs <= now().getTime()) {
        known.delete(key);
      }
    }
    return [...known.values()].findLast(({ channelId }) => matches(channelId))?.advice ?? null;
  }

  return {
    met(channelId, subject, { of, advice }, retryMs) {
      const key = { token: '', channel: channelId, message: `${channelId} ${subject}` }[of];
      const endsMs = now().getTime() + Math.max(2 * retryMs, FORGOTTEN_MS);
      known.delete(key); // the newest comes last
      known.set(key, { advice, channelId: of === 'token' ? null : channelId, endsMs });
    },
    solved(channelId, subject) {
      for (const key of ['', channelId, `${channelId} ${subject}`]) {
        known.delete(key);
      }
    },
    ofToken: () => find((channelId) => channelId === null),
    ofChannel: (wanted) => find((channelId) => channelId === wanted),
  };
}
