import type { ServiceClient } from '../client/service-client.ts';
import type { IncidentAccess } from './actions/incident-access.ts';
import type { Kinds } from './actions/kind.ts';
import { createAcknowledgeKind } from './rooms/act/acknowledge-kind.ts';
import { createResolveKind } from './rooms/act/resolve-kind.ts';
import { createReopenKind, createUnacknowledgeKind } from './rooms/act/undo-kind.ts';
import { createDeclareKind } from './rooms/declare/declare-kind.ts';
import { createNoteKind } from './rooms/note/note-kind.ts';
import { createMergeKind, createSplitKind } from './rooms/regroup/regroup-kinds.ts';
import { createMuteKind, createUnmuteKind } from './rooms/snooze/mute-kind.ts';
import { createSnoozeKind, createUnsnoozeKind } from './rooms/snooze/snooze-kind.ts';
import type { FindAssigned } from './rooms/steer/assigned.ts';
import { createSteerKind, createUnsteerKind } from './rooms/steer/steer-kind.ts';
import type { Store } from './store.ts';

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
    | 'mergeIncident'
    | 'splitIncident'
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
  readonly findAssigned: FindAssigned;
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
    merge: createMergeKind(deps),
    split: createSplitKind(deps),
    declare: createDeclareKind(deps),
    mute: createMuteKind(deps),
    unmute: createUnmuteKind(deps),
  } satisfies Kinds;
}
