import type { StateMeaning } from '../../contract/integrations.ts';
import type { KeyActor } from '../core/session.ts';
import type { SignalBatch } from '../core/signal.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { AskedState, AskedStateStore } from '../store/integrations/asked-state-store.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import { actorAt, createAlertActions } from './alert-actions.ts';

interface StateAnswerDeps {
  readonly integrations: Pick<IntegrationStore, 'setStateAnswer'>;
  readonly askedStates: AskedStateStore;
  readonly incidents: Pick<IncidentStore, 'update'>;
  readonly signals: Pick<SignalStore, 'findNewest'>;
  readonly accept: (batch: SignalBatch) => Promise<unknown>;
  readonly now: () => Date;
}

/** Stores what a word means, and applies it to what waits for that. */
export type AnswerState = (
  integration: { readonly id: string; readonly name: string },
  answer: { readonly word: string; readonly meaning: StateMeaning },
  by: KeyActor,
) => Promise<void>;

/** Answers about states. What was asked is forgotten last, so that an answer that was cut off can be given again. */
export function createStateAnswers({ integrations, askedStates, accept, now, ...deps }: StateAnswerDeps): AnswerState {
  const act = createAlertActions({ ...deps, now });
  return async ({ id, name }, { word, meaning }, by) => {
    await integrations.setStateAnswer(id, word, meaning, now(), by);
    const asked = (await askedStates.list(id)).filter((each) => each.word === word);
    const batch = batchOf(asked, meaning);
    if (batch !== null) {
      await accept({ ...batch, sender: id });
    }
    for (const { signal } of meaning === 'acknowledged' ? asked.filter(({ isWaiting }) => isWaiting) : []) {
      await act({
        kind: 'acknowledge',
        sender: id,
        fingerprint: signal.fingerprint,
        actor: actorAt({ name }),
        note: null,
      });
    }
    await askedStates.remove(id, word);
  };
}

/** What opened by a word that was no failure is over; what waits for one that is counts. */
function batchOf(asked: readonly AskedState[], meaning: StateMeaning): SignalBatch | null {
  if (meaning === 'fails') {
    return { signals: asked.flatMap(({ isWaiting, signal }) => (isWaiting ? [signal] : [])) };
  }
  const over = meaning === 'over' ? asked : asked.filter(({ isWaiting }) => !isWaiting);
  return over.length === 0
    ? null
    : { signals: [], ends: over.map(({ signal, lastAt }) => ({ fingerprint: signal.fingerprint, endedAt: lastAt })) };
}
