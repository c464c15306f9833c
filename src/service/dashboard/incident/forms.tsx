import type { Child } from 'hono/jsx';
import { noProblemsIn } from '../../core/lesson.ts';
import { hasRole } from '../../core/session.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { Fault } from '../parts/fault.tsx';
import { Field, Select } from '../parts/form.tsx';
import { ChangeForm } from './change-form.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** What was wrong with a form, and what was typed in it. */
export interface FormFault {
  readonly form: 'resolve' | 'note' | 'snooze' | 'merge' | 'change' | null;
  readonly text: string;
  readonly typed: string;
}

/**
 * What takes some typing. The stream leaves it alone, so that nothing typed is lost. The style sheet hides the forms that
 * do not apply, unless they are open.
 */
export function Forms({ view: { incident, session }, fault }: { view: IncidentView; fault: FormFault | null }) {
  if (!hasRole(session, 'responder')) {
    return (
      <>
        <p class="quiet">Your role is viewer: you may read. Ask an admin for the role responder to act.</p>
        <Tools url={incidentUrl(incident)} />
      </>
    );
  }
  const url = incidentUrl(incident);
  const typedIn = (form: FormFault['form']) => (fault?.form === form ? fault.typed : '');
  return (
    <div class="forms">
      <Fault text={fault?.text ?? null} />
      <Folded title="Resolve" keyName="r" when="only-open next-if-taken-or-over" isOpen={fault?.form === 'resolve'}>
        <ActionForm action={`${url}/resolve`} session={session}>
          <Note label="What fixed it? Others see this when it happens again." typed={typedIn('resolve')} />
          <label class="check if-failing">
            <input type="checkbox" name="although" value="failing" />
            It is still failing. Resolve it all the same: what fails in the next ten minutes stays part of this incident
            without a new message.
          </label>
          {noProblemsIn(incident.teachable).length > 0 && (
            <label class="check">
              <input type="checkbox" name="no_problem" value="yes" />
              This was not a problem. The same evidence then has to be clearly stronger to open an incident again; a
              total outage always does. Settings, Lessons takes it back.
            </label>
          )}
          <button type="submit" class="primary">
            Resolve the incident
          </button>
        </ActionForm>
      </Folded>
      <Folded title="Add a note" keyName="n" isOpen={fault?.form === 'note'}>
        <ActionForm action={`${url}/notes`} session={session}>
          <Note label="Note, for everybody who reads the timeline" typed={typedIn('note')} />
          <button type="submit" class="primary">
            Add the note
          </button>
        </ActionForm>
      </Folded>
      <Folded title="More" isOpen={['change', 'snooze', 'merge'].includes(fault?.form ?? '')}>
        <div class="buttons">
          <Folded title="Change" isOpen={fault?.form === 'change'}>
            <ChangeForm incident={incident} session={session} />
          </Folded>
          <Folded title="Snooze" when="only-open" isOpen={fault?.form === 'snooze'}>
            <ActionForm action={`${url}/snooze`} session={session}>
              <Select
                label="No reminders and no new messages for"
                name="minutes"
                value="60"
                options={[
                  ['15', '15 minutes'],
                  ['60', '1 hour'],
                  ['240', '4 hours'],
                  ['1440', '1 day'],
                ]}
              />
              <Select
                label="About"
                name="target"
                value="incident"
                options={[
                  ['incident', 'this incident'],
                  ['service', `all of ${incident.rootService}`],
                ]}
              />
              <Field label="Why" name="reason" value={typedIn('snooze')} />
              <button type="submit" class="primary">
                Snooze
              </button>
            </ActionForm>
          </Folded>
          <Folded title="Merge" when="only-open" isOpen={fault?.form === 'merge'}>
            <ActionForm action={`${url}/merge`} session={session}>
              <Field label="Number of the incident that this one is part of" name="into" value={typedIn('merge')} />
              <button type="submit" class="primary">
                Merge into it
              </button>
            </ActionForm>
          </Folded>
          <Tools url={url} />
        </div>
      </Folded>
    </div>
  );
}

interface FoldedView {
  readonly title: string;
  /** Opens it. */
  readonly keyName?: string;
  /** For the style sheet: in which state it applies, and in which it is the next step. */
  readonly when?: 'only-open' | 'only-open next-if-taken-or-over';
  readonly isOpen: boolean;
  readonly children?: Child;
}

function Folded({ title, keyName, when, isOpen, children }: FoldedView) {
  return (
    <details class={when} data-key={keyName} open={isOpen}>
      <summary class="button">{title}</summary>
      {children}
    </details>
  );
}

function Tools({ url }: { url: string }) {
  return (
    <>
      <a class="button" href={`${url}/text`}>
        Text view
      </a>
      <button type="button" data-copy={`${url}/text`} hidden>
        Copy as Markdown
      </button>
    </>
  );
}

function Note({ label, typed }: { label: string; typed: string }) {
  return (
    <label>
      {label}
      <textarea name="note" required maxlength={3_000} rows={4}>
        {typed}
      </textarea>
    </label>
  );
}
