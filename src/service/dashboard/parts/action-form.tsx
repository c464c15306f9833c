import type { Child } from 'hono/jsx';
import type { DashboardSession } from '../dashboard-env.ts';
import { CsrfField } from '../session/csrf.tsx';

interface ActionFormView {
  readonly action: string;
  readonly session: DashboardSession;
  readonly children?: Child;
}

/** A form that changes something. */
export function ActionForm({ action, session, children }: ActionFormView) {
  return (
    <form method="post" action={action}>
      <CsrfField session={session} />
      {children}
    </form>
  );
}
