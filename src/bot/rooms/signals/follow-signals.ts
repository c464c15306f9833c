import type { ModalView } from '@slack/types';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import { followView, isSameState, refreshIfOld } from '../open-views/follow-view.ts';
import { loadSignals } from './load-signals.ts';
import type { SignalsDeps } from './read-signals.ts';
import type { SignalsContext } from './signals-modal.ts';

/**
 * Loads the signals for a modal that is refreshed from now on, also if they cannot be read. What was read some seconds ago
 * may be shown again, see `createReadSignals`, and is then refreshed at once if it is old.
 *
 * @throws ServiceClientError
 */
export async function followSignals(
  deps: Pick<SignalsDeps, 'now' | 'readSignals' | 'store'>,
  context: SignalsContext,
  { viewId, slackUserId }: { readonly viewId: string; readonly slackUserId: SlackUserId },
  how: { readonly isFresh?: boolean } = {},
): Promise<ModalView> {
  const { incidentId } = context;
  const shownIn = { viewId, responseUrl: null, channelId: null };
  const place = { kind: 'signals', slackUserId, shownIn } as const;
  const content = { what: JSON.stringify(context), incidentIds: [incidentId] };
  const refreshedUntil = await followView(deps, place, content);
  const loaded = await loadSignals(deps, context, how);
  await refreshIfOld(deps, place, content, [loaded.incident], hasSameSignals);
  return loaded.modal(deps.now(), refreshedUntil);
}

function hasSameSignals(one: Snapshot, other: Snapshot | undefined): boolean {
  return isSameState(one, other) && one.signal_count === other?.signal_count;
}
