import { MAIN_SYSTEM } from '../../../contract/system.ts';
import type { Integration } from '../../core/integration.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Fault } from '../parts/fault.tsx';
import { Field } from '../parts/form.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { integrationUrl } from './integrations-page.tsx';

interface SystemFormView {
  readonly session: DashboardSession;
  readonly integration: Integration;
  /** Of all integrations. */
  readonly systems: readonly string[];
  /** What is wrong with what was typed, in one sentence. */
  readonly fault: string | null;
}

/** Moves an integration to another system. Folded while there is only the default one. */
export function SystemForm({ session, integration, systems, fault }: SystemFormView) {
  return (
    <details open={systems.length > 1 || fault !== null}>
      <summary>{systems.length > 1 ? 'System' : 'Judge it apart from the others'}</summary>
      <Fault text={fault} />
      <form class="stack narrow" method="post" action={`${integrationUrl(integration.id)}/system`}>
        <CsrfField session={session} />
        <Field label="Name of the system" name="system" value={integration.system} options={systems} />
        <p class="quiet">
          Integrations of one system are judged together: what is usual, who calls whom, and incidents. Production and
          staging, two regions or two customers are systems of their own. {MAIN_SYSTEM} is the default. What was sent so
          far stays where it is.
        </p>
        <button type="submit">Move</button>
      </form>
    </details>
  );
}
