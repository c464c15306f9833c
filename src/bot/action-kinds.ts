import type { ServiceClient } from '../client/service-client.ts';
import { createAcknowledgeKind } from './act/acknowledge-kind.ts';
import { createResolveKind } from './act/resolve-kind.ts';
import { createReopenKind, createUnacknowledgeKind } from './act/undo-kind.ts';
import type { IncidentAccess } from './actions/incident-access.ts';
import type { Kinds } from './actions/kind.ts';
import { createDeclareKind } from './declare/declare-kind.ts';
import { createNoteKind } from './note/note-kind.ts';
import { createMuteKind, createUnmuteKind } from './snooze/mute-kind.ts';
import { createSnoozeKind, createUnsnoozeKind } from './snooze/snooze-kind.ts';
import { createSteerKind, createUnsteerKind } from './steer/steer-kind.ts';
import type { Store } from './store/store.ts';

export interface KindsDeps {
  readonly service: Pick<
    ServiceClient,
    | 'acknowledgeIncident'
    | 'resolveIncident'
    | 'unacknowledgeIncident'
    | 'reopenIncident'
    | 'addNote'
    | 'declareIncident'
    | 'updateIncident'
    | 'listMutes'
    | 'createMute'
    | 'deleteMute'
  >;
  readonly store: {
    readonly incidents: Pick<Store['incidents'], 'confirm'>;
    readonly actions: Pick<Store['actions'], 'findSettled' | 'plan'>;
    readonly notices: Store['notices'];
  };
  readonly incidents: IncidentAccess;
  /** Called when a message may need a redraw. */
  readonly onChanged: () => void;
  readonly now: () => Date;
}

/** All kinds of actions. A kind that is missing here does not compile. */
export function createActionKinds(deps: KindsDeps) {
  return {
    acknowledge: createAcknowledgeKind(deps),
    resolve: createResolveKind(deps),
    unacknowledge: createUnacknowledgeKind(deps),
    reopen: createReopenKind(deps),
    snooze: createSnoozeKind(deps),
    unsnooze: createUnsnoozeKind(deps),
    note: createNoteKind(deps),
    steer: createSteerKind(deps),
    unsteer: createUnsteerKind(deps),
    declare: createDeclareKind(deps),
    mute: createMuteKind(deps),
    unmute: createUnmuteKind(deps),
  } satisfies Kinds;
}
