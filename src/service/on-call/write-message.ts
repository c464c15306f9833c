import { severityRank } from '../../incident/severity.ts';
import type { StoredAttempt, StoredPage } from '../store/pages/page-store.ts';
import { answerCodeOf, answerTokenOf } from './answer-token.ts';
import { askMessage, takenMessage, testMessage, type WakeMessage } from './waking/message.ts';
import { askedAt } from './waking/policy.ts';

/** Writes what the ways send. */
export interface WriteMessage {
  /** @param listed all pages that the person is woken for, this one among them */
  ask(attempt: StoredAttempt, page: StoredPage, listed: readonly StoredPage[]): Promise<WakeMessage>;
  /** @param isAskedForOthers what the way shows asks for other pages too, so it is not replaced */
  takeBack(attempt: StoredAttempt, page: StoredPage, isAskedForOthers: boolean): Promise<WakeMessage>;
  test(attempt: Pick<StoredAttempt, 'id' | 'personId'>): Promise<WakeMessage>;
  /** What an attempt is answered with. */
  answersOf(attemptId: string): Promise<Pick<WakeMessage, 'answerUrl' | 'code'>>;
}

/** @param deps.publicUrl without a slash at the end */
export function createWriteMessage(deps: {
  readonly answerSecret: () => Promise<Buffer>;
  readonly publicUrl: string;
}): WriteMessage {
  const { publicUrl } = deps;
  const answersOf = async (attemptId: string) => {
    const secret = await deps.answerSecret();
    const answerUrl = `${publicUrl}/dashboard/answer/${answerTokenOf(attemptId, secret)}`;
    return { answerUrl, code: answerCodeOf(attemptId, secret) };
  };
  const tagOf = ({ id, personId }: Pick<StoredAttempt, 'id' | 'personId'>) => `wake ${personId ?? id}`;
  const urlOf = ({ incident }: StoredPage) =>
    incident === null
      ? `${publicUrl}/dashboard/settings/policies`
      : `${publicUrl}/dashboard/incidents/${incident.number}`;

  return {
    answersOf,

    async ask(attempt, page, listed) {
      const incidents = listed
        .flatMap(({ incident }) => incident ?? [])
        .toSorted((one, other) => severityRank(one.severity) - severityRank(other.severity));
      return askMessage(
        incidents,
        {
          id: attempt.id,
          tag: tagOf(attempt),
          url: urlOf(page),
          ...(await answersOf(attempt.id)),
          isLoud: askedAt(page.policy, attempt).loud,
        },
        page.isReminder,
      );
    },

    async takeBack(attempt, page, isAskedForOthers) {
      const incidents = page.incident === null ? [] : [page.incident];
      const tag = isAskedForOthers ? `taken ${attempt.id}` : tagOf(attempt);
      return takenMessage(incidents, page.takenBy, { id: attempt.id, tag, url: urlOf(page) }, page.isLive);
    },

    async test(attempt) {
      const url = `${publicUrl}/dashboard/settings/ways`;
      return testMessage({ id: attempt.id, tag: tagOf(attempt), url, ...(await answersOf(attempt.id)) });
    },
  };
}
