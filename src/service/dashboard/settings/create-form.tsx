import type { Child } from 'hono/jsx';
import type { DashboardSession } from '../dashboard-env.ts';
import { Fault } from '../parts/fault.tsx';
import { CsrfField } from '../session/csrf.tsx';

interface CreateFormView {
  readonly title: string;
  readonly action: string;
  readonly session: DashboardSession;
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
  /** Text of the button. */
  readonly verb?: string;
  /** After that button, which is the one of the key Enter. */
  readonly further?: Child;
  readonly children?: Child;
}

export function CreateForm({ title, action, session, fault, verb = 'Create', further, children }: CreateFormView) {
  return (
    <section class="box" aria-labelledby="create">
      <h2 id="create">{title}</h2>
      <Fault text={fault} />
      <form class="row" method="post" action={action}>
        <CsrfField session={session} />
        {children}
        <button type="submit">{verb}</button>
        {further}
      </form>
    </section>
  );
}

export function NameField({ value }: { readonly value?: string | undefined }) {
  return (
    <label>
      Name
      <input name="name" required maxlength={200} autocomplete="off" value={value} />
    </label>
  );
}
