import type { Feature, Needs } from '../../listeners/feature.ts';
import { createHaveItListener, type WakeDeps } from './have-it-button.ts';
import { WAKE_BUTTONS } from './ids.ts';
import { createWakeKind } from './wake-kind.ts';

export const wake = {
  listeners: (deps) => ({
    buttons: { [WAKE_BUTTONS.haveIt]: createHaveItListener(deps) },
  }),
  messages: (deps: Needs<typeof createWakeKind>) => ({ wake: createWakeKind(deps) }),
} satisfies Feature<WakeDeps>;
