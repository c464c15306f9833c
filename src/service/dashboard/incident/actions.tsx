import type { Child } from 'hono/jsx';
import type { DashboardSession } from '../dashboard-env.ts';
import { swapIf } from '../parts/region.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** One click. The stream replaces it when the state changes. */
export function Actions({ view: { incident, session }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const isUnacknowledged = incident.closing === null && incident.acknowledgement === null;
  return (
    <div id="incident-actions" class="actions" {...swapIf(isChanged)}>
      {mayRespond(session) && isUnacknowledged && (
        <ActionForm action={`${incidentUrl(incident)}/acknowledge`} session={session}>
          <button type="submit" class="primary" data-key="a">
            Acknowledge
          </button>
        </ActionForm>
      )}
      <a class="button" href={`${incidentUrl(incident)}/text`}>
        Text view
      </a>
      <button type="button" data-copy={`${incidentUrl(incident)}/text`} hidden>
        Copy as Markdown
      </button>
    </div>
  );
}

interface FormsView {
  readonly view: IncidentView;
  /** What was wrong with the form that was sent, and what was typed. */
  readonly fault: { readonly text: string; readonly typed: string } | null;
}

/**
 * What needs some typing. The stream leaves it alone, so that nothing typed is lost; the style sheet hides the forms that
 * no longer apply, unless they are open.
 */
export function Forms({ view: { incident, session }, fault }: FormsView) {
  if (!mayRespond(session)) {
    return <p class="quiet">Your role is viewer: you may read. Ask an admin for the role responder to act.</p>;
  }
  return (
    <div id="incident-forms" class="forms">
      {fault !== null && (
        <p class="alarm" role="alert">
          {fault.text}
        </p>
      )}
      <details class="only-open" data-key="r" open={fault !== null}>
        <summary class="button">Resolve</summary>
        <ActionForm action={`${incidentUrl(incident)}/resolve`} session={session}>
          <label>
            What fixed it? Others see this when it happens again.
            <textarea name="note" required maxlength={3000} rows={4}>
              {fault?.typed ?? ''}
            </textarea>
          </label>
          <button type="submit" class="primary">
            Resolve the incident
          </button>
        </ActionForm>
      </details>
    </div>
  );
}

export function ActionForm(view: { action: string; session: DashboardSession; children?: Child }) {
  return (
    <form method="post" action={view.action}>
      <CsrfField session={view.session} />
      {view.children}
    </form>
  );
}

function mayRespond({ role }: DashboardSession): boolean {
  return role !== 'viewer';
}
