import type { Feature } from '../../listeners/feature.ts';
import { createHaveItListener, type WakeDeps } from './have-it-button.ts';
import { WAKE_BUTTONS } from './ids.ts';

export const wake: Feature<WakeDeps> = {
  listeners: (deps) => ({
    buttons: { [WAKE_BUTTONS.haveIt]: createHaveItListener(deps) },
  }),
};
