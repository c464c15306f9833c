import type { Feature, Needs } from '../../listeners/feature.ts';
import { createHomeListener, type HomeDeps } from './app-home.ts';
import { createHomeKind } from './home-kind.ts';

export const home = {
  listeners: (deps) => ({
    onHomeOpened: createHomeListener(deps),
  }),
  messages: (deps: Needs<typeof createHomeKind>) => ({ home: createHomeKind(deps) }),
} satisfies Feature<HomeDeps>;
