import type { ModalView } from '@slack/types';
import { reportsAcknowledgement } from '../../incident/incident.ts';
import { stateWords, whatFails } from '../../incident/incident-words.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { hasCauses } from './causes-modal.ts';
import type { ReadSignals } from './read-signals.ts';
import { filterSignals } from './signal-filter.ts';
import { type SignalsContext, signalsModal } from './signals-modal.ts';

export interface LoadedSignals {
  readonly incident: Snapshot;
  /** @param refreshedUntil null: only a choice changes it */
  modal(asOf: Date, refreshedUntil: Date | null): ModalView;
}

/** @throws ServiceClientError */
export async function loadSignals(
  { readSignals, store }: { readonly readSignals: ReadSignals; readonly store: { readonly incidents: IncidentStore } },
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
        label: `${whatFails(incident)}\n${stateWords(incident)}`,
        signals,
        matching: filterSignals(signals, context.filter, asOf),
        signalCount: incident.signal_count,
        hasCauses: hasCauses(incident),
        asOf,
        refreshedUntil,
      }),
  };
}
