import { z } from 'zod';
import { NotOfferedError, ServiceClientError, ServiceResponseError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import { ReportAttemptRequest } from '../../../contract/waking.ts';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf, refusedReason } from '../../actions/service-failure.ts';
import type { Tables } from '../../tables.ts';
import { TEST_PAGE } from './wake-button.ts';
import { endWake } from './wake-messages.ts';

/** The service learns what became of a message that wakes somebody, or that they answered. */
export const WAKE_REPORT = 'wake report';

const Report = ReportAttemptRequest.extend({ pageId: z.string().nullable() });
export type Report = z.infer<typeof Report> & { readonly attemptId: string };

/** Each attempt has a lane of its own: none waits for the report of another one. */
export function report({ attemptId, ...data }: Report): NewEffect {
  return { kind: WAKE_REPORT, subject: attemptId, detail: data.state, lane: attemptId, data };
}

/** The value of `wakeButton`; null: it is another one. */
export function parseAnswerValue(value: string): Pick<Report, 'pageId' | 'attemptId'> | null {
  const [, page, attemptId] = /^(\S+) (\S+)$/.exec(value) ?? [];
  return page === undefined || attemptId === undefined ? null : { pageId: page === TEST_PAGE ? null : page, attemptId };
}

/** Keyed by the attempt and what is reported of it. */
export function createReportKind(service: Pick<ServiceClient, 'reportAttempt'>): EffectKind<Tables> {
  return createKind<Tables, z.infer<typeof Report>>({
    target: 'incident service',
    effectOf: ({ subject, detail, data }) => ({
      look: async () => ({ seen: Report.parse(data) }),
      async call({ pageId, ...body }) {
        const page = await service.reportAttempt(pageId ?? TEST_PAGE, subject, body, `${subject} ${detail}`);
        const words = overWords(pageId, body.state, page);
        return {
          outcome: { ...page },
          ...(words !== null && { also: (tx) => endWake(tx, subject, words) }),
        };
      },
      failureOf,
    }),
    endOf(_effect, error) {
      const isFinal =
        error instanceof NotOfferedError ||
        (error instanceof ServiceResponseError && refusedReason(error) !== null) ||
        !(error instanceof ServiceClientError);
      return isFinal ? { outcome: { error: String(error) }, isRefused: true } : null;
    },
  });
}

/** What the message says from now on; null: it goes on asking. */
function overWords(
  pageId: string | null,
  state: Report['state'],
  { is_live: isLive, ended_by: endedBy }: Awaited<ReturnType<ServiceClient['reportAttempt']>>,
): string | null {
  if (pageId === null) {
    return state === 'answered' ? 'It works: you have answered' : null;
  }
  if (!isLive) {
    return endedBy === null ? 'Over' : `Taken by ${endedBy}`;
  }
  return state === 'answered' ? 'You have it, and more people are asked' : null;
}
