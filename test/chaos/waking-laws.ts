import type { Page } from '../../src/contract/waking.ts';
import type { Said } from './waking-world.ts';

/** What was so when an acknowledgement, or an answer, was confirmed. */
export interface Confirmed {
  /** How many messages the providers had taken. */
  readonly saidBefore: number;
  readonly pages: readonly Page[];
}

interface WakingHistory {
  readonly said: readonly Said[];
  readonly confirmed: readonly Confirmed[];
  /** All pages in the end, by incident. */
  readonly pages: readonly { readonly page: Page; readonly isAcknowledged: boolean }[];
}

/** Violations of what docs/waking.md promises; empty: none. */
export function findBrokenWaking(history: WakingHistory): string[] {
  return [...lost(history), ...begunTooLate(history), ...doubled(history), ...notTakenBack(history)];
}

/** Nobody has the incident: somebody is woken by each way of the policy, up to the last resort. */
function lost({ said, pages }: WakingHistory): string[] {
  const asked = new Set(said.flatMap(({ attemptId, answerUrl }) => (answerUrl === null ? [] : [attemptId])));
  return pages.flatMap(({ page: { id, ended_at: endedAt, state, attempts }, isAcknowledged }) => {
    if (endedAt !== null || isAcknowledged) {
      return (endedAt === null) === isAcknowledged ? [`${id} is ${state}, and its incident was taken`] : [];
    }
    const silent = attempts.filter((each) => each.state !== 'accepted' || !asked.has(each.id));
    return [
      ...(state === 'exhausted' ? [] : [`${id} came no further than ${state}`]),
      ...silent.map((each) => `${each.id} of ${id} is ${each.state}, and its message did not arrive`),
    ];
  });
}

/** A call that had begun may arrive a little later. No other one begins. */
function begunTooLate({ said, confirmed }: WakingHistory): string[] {
  return confirmed.flatMap(({ saidBefore, pages }) =>
    pages
      .filter(({ ended_at: endedAt }) => endedAt !== null)
      .flatMap(({ id: pageId, attempts }) =>
        attempts.flatMap(({ id, state }) => {
          const later = said
            .slice(saidBefore)
            .filter(({ attemptId, answerUrl }) => attemptId === id && answerUrl !== null);
          const allowed = state === 'sending' ? 1 : 0;
          return later.length > allowed
            ? [`${id} was ${state} when ${pageId} ended, and called ${later.length} times`]
            : [];
        }),
      ),
  );
}

/** A repetition has the key of the first message, and no step asks by the same way twice. */
function doubled({ said, pages }: WakingHistory): string[] {
  const asks = said.filter(({ answerUrl }) => answerUrl !== null);
  const known = new Set(pages.flatMap(({ page }) => page.attempts.map(({ id }) => id)));
  const keys = Map.groupBy(asks, ({ attemptId }) => attemptId);
  const places = pages.flatMap(({ page }) =>
    page.attempts.map(({ cycle, step, person_id: person, way }) => [page.id, cycle, step, person, way].join(' ')),
  );
  return [
    ...[...keys].flatMap(([id, same]) =>
      id !== null && known.has(id) && new Set(same.map(({ key }) => key)).size === 1 ? [] : [`${id} has several keys`],
    ),
    ...places.filter((place, index) => places.indexOf(place) !== index).map((place) => `asked twice: ${place}`),
  ];
}

/** The last that a person sees of a page that is over is that it is. */
function notTakenBack({ said, pages }: WakingHistory): string[] {
  return pages.flatMap(({ page: { id: pageId, ended_at: endedAt, attempts } }) =>
    attempts.flatMap(({ id, state }) => {
      const last = said.findLastIndex(({ attemptId, answerUrl }) => attemptId === id && answerUrl !== null);
      const message = said[last];
      if (endedAt === null || message === undefined || state === 'answered') {
        return [];
      }
      const later = said.slice(last + 1);
      const isFollowed =
        message.provider === 'push'
          ? later.some(({ provider, key }) => provider === 'push' && key === message.key)
          : later.some(({ attemptId, answerUrl }) => attemptId === id && answerUrl === null);
      return isFollowed ? [] : [`${id} of ${pageId} (${state}) was not taken back`];
    }),
  );
}
