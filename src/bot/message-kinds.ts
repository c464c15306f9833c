import type { Logger } from 'pino';
import { createCardKind } from './card/card-kind.ts';
import { createNoticeKind } from './card/notice-kind.ts';
import { createReplyKind } from './card/reply-kind.ts';
import { createHandoverKind } from './handover/handover-kind.ts';
import { createHomeKind } from './home/home-kind.ts';
import type { CreateDashboardLink, ReadSignals } from './listeners/deps.ts';
import { createListKind } from './lists/list-kind.ts';
import { createAnswerKind } from './messages/answer-kind.ts';
import type { MessageKinds } from './messages/kind.ts';
import { createAlertKind } from './reminders/alert-kind.ts';
import { createReminderKind } from './reminders/reminder-kind.ts';
import { createSignInKind } from './sign-in/sign-in-kind.ts';
import { createSignalsKind } from './signals/signals-kind.ts';
import type { Groups } from './slack/groups.ts';
import type { SlackApi } from './slack/methods.ts';
import type { People } from './slack/people.ts';
import type { Store } from './store/store.ts';
import { createStormKind } from './storm/storm-kind.ts';

/** What each kind of message shows. */
export function createMessageKinds(deps: {
  api: SlackApi;
  store: Store;
  people: Pick<People, 'find'>;
  groups: Groups;
  createDashboardLink: CreateDashboardLink;
  readSignals: ReadSignals;
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  traceUrl: string | null;
  logger: Logger;
  now: () => Date;
}): MessageKinds {
  const { api, store, people, groups, traceUrl, logger, now } = deps;
  return {
    card: createCardKind({ store, now, traceUrl }),
    storm: createStormKind({ store, now }),
    reply: createReplyKind({ store }),
    reminder: createReminderKind({ store, api, logger, now }),
    alert: createAlertKind({ store, now }),
    answer: createAnswerKind({ store, api, logger }),
    notice: createNoticeKind(),
    handover: createHandoverKind({ store, now }),
    'sign-in': createSignInKind({ createLink: deps.createDashboardLink, now }),
    home: createHomeKind({ store, people, groups, logger, now }),
    list: createListKind({ store, groups, now }),
    signals: createSignalsKind({ store, readSignals: deps.readSignals, logger, now }),
  };
}
