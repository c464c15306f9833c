import type { Logger } from 'pino';
import { createAnswerKind } from './actions/answer-kind.ts';
import type { NameWaiting } from './actions/definition.ts';
import type { MessageKinds } from './messages/kind.ts';
import { createNoticeKind } from './messages/notice-kind.ts';
import { createCardKind } from './rooms/card/card-kind.ts';
import { createReplyKind } from './rooms/card/reply-kind.ts';
import { createHandoverKind } from './rooms/handover/handover-kind.ts';
import { createHomeKind } from './rooms/home/home-kind.ts';
import { createListKind } from './rooms/lists/list-kind.ts';
import type { ReadOnCall } from './rooms/on-call/read-on-call.ts';
import { createSwapKind } from './rooms/on-call/swap-kind.ts';
import { createAlertKind } from './rooms/reminders/alert-kind.ts';
import { createReminderKind } from './rooms/reminders/reminder-kind.ts';
import type { CreateDashboardLink } from './rooms/sign-in/dashboard-links.ts';
import { createSignInKind } from './rooms/sign-in/sign-in-kind.ts';
import type { ReadSignals } from './rooms/signals/read-signals.ts';
import { createSignalsKind } from './rooms/signals/signals-kind.ts';
import { createStormKind } from './rooms/storm/storm-kind.ts';
import { createWakeKind } from './rooms/wake/wake-kind.ts';
import type { Groups } from './slack/groups.ts';
import type { SlackApi } from './slack/methods.ts';
import type { People } from './slack/people.ts';
import type { Store } from './store.ts';

/** What each kind of message shows. */
export function createMessageKinds(deps: {
  api: SlackApi;
  store: Store;
  people: Pick<People, 'find'>;
  groups: Groups;
  createDashboardLink: CreateDashboardLink;
  readSignals: ReadSignals;
  readOnCall: ReadOnCall;
  nameWaiting: NameWaiting;
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  traceUrl: string | null;
  logger: Logger;
  now: () => Date;
}): MessageKinds {
  const { api, store, people, groups, nameWaiting, traceUrl, logger, now } = deps;
  return {
    card: createCardKind({ store, now, nameWaiting, traceUrl }),
    storm: createStormKind({ store, now }),
    reply: createReplyKind({ store }),
    reminder: createReminderKind({ store, api, logger, now }),
    alert: createAlertKind({ store, now }),
    answer: createAnswerKind({ store, api, logger }),
    notice: createNoticeKind(),
    handover: createHandoverKind({ store, now }),
    'sign-in': createSignInKind({ createLink: deps.createDashboardLink, now }),
    swap: createSwapKind({ now }),
    wake: createWakeKind({ store, api, nameWaiting, logger, now }),
    home: createHomeKind({ store, people, groups, onCall: (reader) => deps.readOnCall.home(reader), logger, now }),
    list: createListKind({ store, groups, now }),
    signals: createSignalsKind({ store, readSignals: deps.readSignals, logger, now }),
  };
}
