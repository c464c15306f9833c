import type { PageEventType } from '../../contract/events.ts';

/** What a bot that carries out a way is told. */
export interface PageNews {
  /** null: a test of one way. */
  readonly pageId: string | null;
  readonly attemptId: string;
  readonly slackUserId: string;
  /** Those that an answer takes; empty: a drill or a test. */
  readonly incidentIds: readonly string[];
  readonly title: string;
  readonly lines: readonly string[];
}

export interface PageEvent {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: PageEventType;
  readonly occurredAt: Date;
  readonly page: PageNews;
}
