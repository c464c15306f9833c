import { Severity } from '../../../contract/resources.ts';
import type { IncidentRecord } from '../../core/incident.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { Field, Select } from '../parts/form.tsx';
import { incidentUrl } from './incident-view.ts';

/** What people set in place of what correlation finds. An empty field goes back to that, or means nobody. */
export function ChangeForm({ incident, session }: { incident: IncidentRecord; session: DashboardSession }) {
  const { byHand, found, title, severity, rootService, services } = incident;
  return (
    <ActionForm action={`${incidentUrl(incident)}/change`} session={session}>
      <input type="hidden" name="was" value={new URLSearchParams(Object.entries(byHand)).toString()} />
      <Field label="Title" name="title" value={byHand.title} placeholder={found.title ?? title} />
      <Select
        label="Severity"
        name="severity"
        value={byHand.severity}
        options={[['', `as found: ${found.severity ?? severity}`], ...Severity.options]}
      />
      <Field
        label="Root service"
        name="root_service"
        value={byHand.rootService}
        placeholder={found.rootService ?? rootService}
        options={services}
      />
      <Field label="Leads" name="lead" value={byHand.lead} placeholder="nobody" />
      <Field label="Communicates" name="communications" value={byHand.communications} placeholder="nobody" />
      <p class="quiet">Empty: as it is found, or nobody. People are named as they are in Slack and here.</p>
      <button type="submit" class="primary">
        Change
      </button>
    </ActionForm>
  );
}
