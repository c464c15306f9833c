import type { DashboardSession } from '../dashboard-env.ts';
import { CsrfField } from '../session/csrf.tsx';

interface InlineActionView {
  /** Address that the form is posted to. */
  readonly action: string;
  readonly session: DashboardSession;
  readonly text: string;
  /** For screen readers, where several buttons have the same text. */
  readonly label?: string;
}

/** A form of one button. */
export function InlineAction({ action, session, text, label }: InlineActionView) {
  return (
    <form class="inline" method="post" action={action}>
      <CsrfField session={session} />
      <button type="submit" aria-label={label}>
        {text}
      </button>
    </form>
  );
}
