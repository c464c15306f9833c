import type { ModalView } from '@slack/types';
import { reportsAcknowledgement } from '../domain/incident.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { ReadSignals } from '../listeners/deps.ts';
import type { Store } from '../store/store.ts';
import { ranked, stateWords } from '../views/incident-lines.ts';
import { hasCauses } from './causes-modal.ts';
import { filterSignals } from './signal-filter.ts';
import { type SignalsContext, signalsModal } from './signals-modal.ts';

export interface LoadedSignals {
  readonly incident: Snapshot;
  /** @param refreshedUntil null: only a choice changes it */
  modal(asOf: Date, refreshedUntil: Date | null): ModalView;
}

/** @throws ServiceClientError */
export async function loadSignals(
  { readSignals, store }: { readonly readSignals: ReadSignals; readonly store: Pick<Store, 'incidents'> },
  context: SignalsContext,
  how: { readonly isFresh?: boolean } = {},
): Promise<LoadedSignals> {
  const { incident: read, signals } = await readSignals(context.incidentId, how);
  // If the service does not say who acknowledged, the bot has stored it.
  const stored = reportsAcknowledgement(read) ? null : await store.incidents.find(read.id);
  const incident = { ...stored?.incident, ...read };
  return {
    incident,
    modal: (asOf, refreshedUntil) =>
      signalsModal({
        context,
        label: `${ranked(incident)}\n${stateWords(incident)}`,
        signals,
        matching: filterSignals(signals, context.filter, asOf),
        signalCount: incident.signal_count,
        hasCauses: hasCauses(incident),
        asOf,
        refreshedUntil,
      }),
  };
}
