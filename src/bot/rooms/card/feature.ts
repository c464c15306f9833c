import { ACTIONS } from '../../blocks/ids.ts';
import type { Feature } from '../../listeners/feature.ts';
import { onLink } from '../../listeners/link.ts';
import { type CardDeps, createMessageListener } from './message-deleted.ts';

export const card: Feature<CardDeps> = {
  listeners: (deps) => ({
    buttons: {
      [ACTIONS.linkRunbook]: onLink,
      [ACTIONS.linkGenerator]: onLink,
      [ACTIONS.linkDashboard]: onLink,
      [ACTIONS.linkTrace]: onLink,
    },
    onMessage: createMessageListener(deps),
  }),
};
