import type { Feature } from '../../listeners/feature.ts';
import { createHomeListener, type HomeDeps } from './app-home.ts';

export const home: Feature<HomeDeps> = {
  listeners: (deps) => ({
    onHomeOpened: createHomeListener(deps),
  }),
};
