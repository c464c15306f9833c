import type { Feature, Needs } from '../../listeners/feature.ts';
import { STORM_BUTTONS } from './ids.ts';
import type { StormDeps } from './show-storm-list.ts';
import { createStormAcknowledgeListener, createStormListListener, createStormUndoListener } from './storm-buttons.ts';
import { createStormKind } from './storm-kind.ts';

export const storm = {
  listeners: (deps) => {
    const list = createStormListListener(deps);
    return {
      buttons: {
        [STORM_BUTTONS.stormAcknowledge]: createStormAcknowledgeListener(deps),
        [STORM_BUTTONS.stormUndo]: createStormUndoListener(deps),
        [STORM_BUTTONS.stormList]: list,
        [STORM_BUTTONS.stormListNext]: list,
        [STORM_BUTTONS.stormListPrevious]: list,
      },
    };
  },
  messages: (deps: Needs<typeof createStormKind>) => ({ storm: createStormKind(deps) }),
} satisfies Feature<StormDeps>;
