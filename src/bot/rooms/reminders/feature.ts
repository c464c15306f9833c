import type { Feature, Needs } from '../../listeners/feature.ts';
import { createAlertKind } from './alert-kind.ts';
import { createReminderKind } from './reminder-kind.ts';

export const reminders = {
  messages: (deps: Needs<typeof createReminderKind> & Needs<typeof createAlertKind>) => ({
    reminder: createReminderKind(deps),
    alert: createAlertKind(deps),
  }),
} satisfies Feature<object>;
