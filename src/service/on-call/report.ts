import type { Kysely } from 'kysely';
import type { ReportAttemptRequest, ReportedAttempt } from '../../contract/waking.ts';
import { NotFoundError } from '../core/errors.ts';
import { createPageStore } from '../store/pages/page-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { Answers } from './answer.ts';
import type { Duty } from './resolve.ts';
import { endReported } from './tell-failure.ts';

/** Stands for the page of a test. */
const TEST = 'test';

/** What bots tell of attempts that they carry out. */
export interface Reports {
  /** Nothing follows from a report about a page that has ended. @returns null: somebody else answered. @throws {NotFoundError} */
  report(pageId: string, attemptId: string, report: ReportAttemptRequest): Promise<ReportedAttempt | null>;
}

export function createReports({
  db,
  duty,
  answers,
}: {
  readonly db: Kysely<ServiceTables>;
  readonly duty: Pick<Duty, 'readPerson'>;
  readonly answers: Pick<Answers, 'answerAttempt'>;
}): Reports {
  const pages = createPageStore(db);
  return {
    async report(pageId, attemptId, { state, detail = null, user_id: userId }) {
      const attempt = await pages.readAttempt(attemptId);
      if (attempt === null || (attempt.pageId ?? TEST) !== pageId || attempt.personId === null) {
        throw new NotFoundError('attempt', attemptId);
      }
      if (state === 'answered') {
        const person = userId === undefined ? null : await duty.readPerson(userId);
        if (person?.id !== attempt.personId) {
          return null;
        }
        await answers.answerAttempt(attemptId);
      } else {
        await db.transaction().execute((tx) => endReported(tx, attemptId, state, detail));
      }
      const page = attempt.pageId === null ? null : await pages.readPage(attempt.pageId);
      return { is_live: page?.isLive ?? false, ended_by: page?.takenBy ?? null };
    },
  };
}
