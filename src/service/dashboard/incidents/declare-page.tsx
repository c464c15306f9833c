import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { Severity } from '../../../contract/resources.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { ActionForm } from '../parts/action-form.tsx';
import { Fault } from '../parts/fault.tsx';
import { Field, Select } from '../parts/form.tsx';

export interface DeclareView {
  readonly session: DashboardSession;
  /** To choose from; others may be typed. */
  readonly services: readonly string[];
  readonly typed: {
    readonly title: string;
    readonly service: string;
    readonly severity: string;
    readonly note: string;
  };
  /** The same for each time that this form is sent. */
  readonly once: string;
  /** Why nothing was opened. */
  readonly fault: string | null;
}

export function renderDeclarePage({ session, services, typed, once, fault }: DeclareView) {
  return renderPage(
    {
      title: 'Declare an incident',
      section: 'incidents',
      session,
      liveUrl: null,
      heading: <h1>Declare an incident</h1>,
    },
    <>
      <p>
        For what no signal has reported. If the service has an open incident, yours becomes part of it, and what fails
        there later joins it.
      </p>
      <Fault text={fault} />
      <div class="forms">
        <ActionForm action="/dashboard/incidents/declare" session={session}>
          <input type="hidden" name="once" value={once} />
          <Field label="What fails, for whom?" name="title" value={typed.title} />
          <Field label="Service" name="service" value={typed.service} options={services} />
          <Select label="Severity" name="severity" value={typed.severity} options={Severity.options} />
          <label>
            What is known
            <textarea name="note" maxlength={REQUEST_LIMITS.note} rows={4}>
              {typed.note}
            </textarea>
          </label>
          <button type="submit" class="primary">
            Declare
          </button>
        </ActionForm>
      </div>
    </>,
  );
}
