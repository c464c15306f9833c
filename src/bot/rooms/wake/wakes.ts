import type { Logger } from 'pino';
import { NotOfferedError, ServiceClientError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { PageEvent } from '../../../contract/events.ts';
import type { Page } from '../../../contract/waking.ts';
import type { KeptEffects } from '../../../effects/kept-effects.ts';
import type { Performer } from '../../../effects/performer.ts';
import type { Tables } from '../../tables.ts';
import { createReportKind, type Report, report, WAKE_REPORT } from './report.ts';
import type { WakeStore } from './wake-messages.ts';

/** States of an attempt that still asks. */
const OPEN: ReadonlySet<string> = new Set(['sending', 'accepted', 'failed']);

/** The direct messages by which the service wakes people. */
export interface Wakes {
  /** The service asks for a message, or says that it is over. */
  tell(event: Pick<PageEvent, 'type' | 'page'>): Promise<void>;
  /**
   * Reads what was asked and what ended while nobody followed the events.
   *
   * @throws {ServiceClientError} when it may succeed soon
   */
  catchUp(): Promise<void>;
  /** Keeps what the service is to learn. */
  report(told: Report): Promise<void>;
}

export function createWakes(deps: {
  readonly service: Pick<ServiceClient, 'findPerson' | 'listPages' | 'reportAttempt'>;
  readonly store: { readonly effects: KeptEffects<Tables>; readonly wakes: WakeStore };
  readonly performer: Performer<Tables>;
  /** Called when a message may be due. */
  readonly onChanged: () => void;
  readonly logger: Logger;
}): Wakes {
  const { service, store, performer, onChanged } = deps;
  performer.add({ [WAKE_REPORT]: createReportKind(service) }, onChanged);

  async function readPage({ id, incident_id: incidentId, ended_at: endedAt, ended_by: endedBy, attempts }: Page) {
    const own = attempts.filter(({ way }) => way === 'slack');
    if (endedAt !== null) {
      for (const { id: attemptId } of own) {
        await store.wakes.end(attemptId, endedBy === null ? 'Over' : `Taken by ${endedBy}`);
      }
      return;
    }
    for (const attempt of own.filter(({ state }) => OPEN.has(state))) {
      const person = attempt.person_id === null ? null : await service.findPerson(attempt.person_id);
      if (person?.slack_user_id) {
        await store.wakes.ask({
          attemptId: attempt.id,
          slackUserId: person.slack_user_id,
          pageId: id,
          incidentIds: incidentId === null ? [] : [incidentId],
          title: incidentId === null ? 'This is a drill: nothing is broken' : '',
          lines: [],
        });
      }
    }
  }

  return {
    async tell({ type, page }) {
      const { id: pageId, attempt_id: attemptId, slack_user_id: slackUserId, incident_ids: incidentIds } = page;
      await (type === 'page.ended'
        ? store.wakes.end(attemptId, page.title)
        : store.wakes.ask({ attemptId, slackUserId, pageId, incidentIds, title: page.title, lines: page.lines }));
      onChanged();
    },

    async catchUp() {
      try {
        for (const page of await service.listPages()) {
          await readPage(page);
        }
        onChanged();
      } catch (error) {
        if (error instanceof ServiceClientError && error.retryable) {
          throw error;
        }
        if (!(error instanceof NotOfferedError)) {
          deps.logger.warn({ err: error }, 'who is being woken could not be read');
        }
      }
    },

    async report(told) {
      await store.effects.keep([report(told)]);
      performer.kick();
    },
  };
}
