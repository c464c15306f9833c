import type { ServiceClient } from '../../../client/service-client.ts';
import type { Store } from '../../store/store.ts';
import type { IncidentAccess } from '../incident-access.ts';
import type { Kinds } from '../kind.ts';
import { createAcknowledgeKind } from './acknowledge.ts';
import { createMuteKind, createUnmuteKind } from './mute.ts';
import { createNoteKind } from './note.ts';
import { createResolveKind } from './resolve.ts';
import { createSnoozeKind, createUnsnoozeKind } from './snooze.ts';
import { createReopenKind, createUnacknowledgeKind } from './undo.ts';

export interface KindsDeps {
  readonly service: Pick<
    ServiceClient,
    | 'acknowledgeIncident'
    | 'resolveIncident'
    | 'unacknowledgeIncident'
    | 'reopenIncident'
    | 'addNote'
    | 'listMutes'
    | 'createMute'
    | 'deleteMute'
  >;
  readonly store: {
    readonly incidents: Pick<Store['incidents'], 'confirm'>;
    readonly actions: Pick<Store['actions'], 'findSettled'>;
    readonly notices: Store['notices'];
  };
  readonly incidents: IncidentAccess;
  /** Called when a message may need a redraw. */
  readonly onChanged: () => void;
  readonly now: () => Date;
}

/** All kinds of actions. A kind that is missing here does not compile. */
export function createKinds(deps: KindsDeps) {
  return {
    acknowledge: createAcknowledgeKind(deps),
    resolve: createResolveKind(deps),
    unacknowledge: createUnacknowledgeKind(deps),
    reopen: createReopenKind(deps),
    snooze: createSnoozeKind(deps),
    unsnooze: createUnsnoozeKind(deps),
    note: createNoteKind(deps),
    mute: createMuteKind(deps),
    unmute: createUnmuteKind(deps),
  } satisfies Kinds;
}
