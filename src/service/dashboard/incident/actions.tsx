import { isMuted } from '../../../incident/mute.ts';
import { hasRole } from '../../core/session.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { stateKind } from '../parts/incident-words.tsx';
import { swapIf } from '../parts/region.tsx';
import { type IncidentView, incidentUrl, stillOpenBefore } from './incident-view.ts';

/**
 * What takes one click, the next step filled. The stream replaces it when the state changes. The next step of one that is
 * acknowledged, or has recovered, is a form, which the style sheet fills.
 */
export function Actions({ view, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { incident, session, now } = view;
  const before = stillOpenBefore(view);
  const url = incidentUrl(incident);
  const state = stateKind(incident);
  const isSnoozed = incident.mute?.target === 'incident' && isMuted(incident, now);
  const action = (name: string) => ({ action: `${url}/${name}`, session });
  return (
    <div id="incident-actions" class="actions" {...swapIf(isChanged)}>
      {hasRole(session, 'responder') && (
        <>
          {state === 'unacknowledged' && (
            <ActionForm {...action('acknowledge')}>
              <button type="submit" class={incident.activity === 'recovered' ? '' : 'primary'} data-key="a">
                Acknowledge
              </button>
            </ActionForm>
          )}
          {state === 'closed' && (
            <ActionForm {...action('reopen')}>
              <button type="submit" class="primary">
                Open again
              </button>
            </ActionForm>
          )}
          {state === 'merged' && (
            <ActionForm {...action('split')}>
              <button type="submit" class="primary">
                Split off again
              </button>
            </ActionForm>
          )}
          <span class="later">
            {before !== null && (
              <ActionForm {...action('merge')}>
                <input type="hidden" name="into" value={before.number} />
                <button type="submit">{`Merge into #${before.number}`}</button>
              </ActionForm>
            )}
            {state === 'acknowledged' && (
              <ActionForm {...action('unacknowledge')}>
                <button type="submit" aria-label="Take back the acknowledgement">
                  Take back
                </button>
              </ActionForm>
            )}
            {isSnoozed && (
              <ActionForm {...action('unsnooze')}>
                <button type="submit">End the snooze</button>
              </ActionForm>
            )}
          </span>
        </>
      )}
    </div>
  );
}
