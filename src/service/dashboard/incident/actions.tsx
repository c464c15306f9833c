import { isMuted } from '../../../incident/mute.ts';
import { hasRole } from '../../core/session.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { swapIf } from '../parts/region.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** What takes one click. The stream replaces it when the state changes. */
export function Actions({ view: { incident, session, now }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { closing, acknowledgement, mergedInto, mute } = incident;
  const url = incidentUrl(incident);
  const isOpen = closing === null;
  const isSnoozed = mute?.target === 'incident' && isMuted(incident, now);
  const action = (name: string) => ({ action: `${url}/${name}`, session });
  return (
    <div id="incident-actions" class="actions" {...swapIf(isChanged)}>
      {hasRole(session, 'responder') && (
        <>
          {isOpen && acknowledgement === null && (
            <ActionForm {...action('acknowledge')}>
              <button type="submit" class="primary" data-key="a">
                Acknowledge
              </button>
            </ActionForm>
          )}
          {isOpen && acknowledgement !== null && (
            <span class="later">
              <ActionForm {...action('unacknowledge')}>
                <button type="submit">Take the acknowledgement back</button>
              </ActionForm>
            </span>
          )}
          {!isOpen && mergedInto === null && (
            <ActionForm {...action('reopen')}>
              <button type="submit">Open again</button>
            </ActionForm>
          )}
          {mergedInto !== null && (
            <ActionForm {...action('split')}>
              <button type="submit">Split off again</button>
            </ActionForm>
          )}
          {isSnoozed && (
            <ActionForm {...action('unsnooze')}>
              <button type="submit">End the snooze</button>
            </ActionForm>
          )}
        </>
      )}
      <span class="tools">
        <a class="button" href={`${url}/text`}>
          Text view
        </a>
        <button type="button" data-copy={`${url}/text`} hidden>
          Copy as Markdown
        </button>
      </span>
    </div>
  );
}
