import type { DryRun, OnCallAnswer, WakeTarget } from '../../../contract/waking.ts';
import type { KnownPerson } from '../../core/known-person.ts';
import { hasRole } from '../../core/session.ts';
import type { StoredPolicy } from '../../store/pages/policy-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { CreateForm, NameField } from './create-form.tsx';
import { DryRunReport } from './dry-run.tsx';
import { renderSettingsPage } from './settings-page.tsx';

export const POLICIES_URL = '/dashboard/settings/policies';

/** Steps that the form has. The API takes ten. */
export const FORM_STEPS = [1, 2, 3] as const;

/** What was typed into the form. */
export type TypedPolicy = Readonly<Record<string, string | undefined>>;

type Named = { readonly id: string; readonly name: string };

export interface PoliciesView {
  readonly session: DashboardSession;
  readonly policies: readonly StoredPolicy[];
  readonly people: readonly KnownPerson[];
  readonly schedules: readonly Named[];
  readonly services: readonly string[];
  /** Why this installation is no pager; empty: nothing is known against it. */
  readonly whyNoPager: readonly string[];
  readonly typed: TypedPolicy;
  readonly fault: string | null;
  /** Who would be woken now; null: it was not asked. */
  readonly woken: OnCallAnswer | null;
  /** null: none was asked for. */
  readonly dryRun: { readonly name: string; readonly run: DryRun } | null;
  readonly now: Date;
}

/** Whom incidents wake. */
export function renderPoliciesPage(view: PoliciesView) {
  const { session, policies, now } = view;
  return renderSettingsPage(
    { title: 'Policies', current: 'policies', session, now },
    <>
      <p>
        The first policy that matches an incident wakes people, step by step, until somebody acknowledges it. A step
        that reaches nobody goes on at once. After the last step the last resort is told, again and again.
      </p>
      <NoPager {...view} />
      <Ask {...view} />
      {view.dryRun !== null && <DryRunReport {...view.dryRun} />}
      {policies.length === 0 ? (
        <p class="empty">No policy: nobody is woken.</p>
      ) : (
        <RecordTable
          caption="In the order in which they are tried"
          records={policies}
          values={{
            Policy: ({ name }) => <Foreign>{name}</Foreign>,
            For: ({ filter }) => <Foreign>{filterWords(filter)}</Foreign>,
            Steps: ({ steps, hold_s: holdS }) => (
              <ol>
                {steps.map(({ after_s: afterS, to, loud }, index) => (
                  <li>
                    {waitWords(index === 0 ? afterS + holdS : afterS)} <Foreign>{targetWords(to, view)}</Foreign>
                    {!loud && ', quietly'}
                  </li>
                ))}
              </ol>
            ),
            'Last resort': ({ last_resort: to }) =>
              to.length === 0 ? 'everybody who can be woken' : <Foreign>{targetWords(to, view)}</Foreign>,
          }}
          action={{ heading: 'Do', of: (policy) => <Actions policy={policy} session={session} /> }}
        />
      )}
      {hasRole(session, 'admin') && <NewPolicy {...view} />}
    </>,
  );
}

function NoPager({ whyNoPager }: PoliciesView) {
  return (
    whyNoPager.length > 0 && (
      <section aria-label="No pager">
        <p>
          <strong>As it runs here, Tocsin is no pager for the night.</strong> See docs/waking.md for what it needs.
        </p>
        <ul>
          {whyNoPager.map((why) => (
            <li>{why}</li>
          ))}
        </ul>
      </section>
    )
  );
}

function waitWords(seconds: number): string {
  if (seconds === 0) {
    return 'at once';
  }
  return seconds % 60 === 0 ? `after ${seconds / 60} min` : `after ${seconds} s`;
}

function filterWords({ services, severities, integrations, labels }: StoredPolicy['filter']): string {
  const words = [...services, ...severities, ...labels, ...integrations];
  return words.length === 0 ? 'everything' : words.join(', ');
}

function targetWords(to: readonly WakeTarget[], known: Pick<PoliciesView, 'people' | 'schedules'>): string {
  return to.map((target) => oneTarget(target, known)).join(', ');
}

function oneTarget(target: WakeTarget, { people, schedules }: Pick<PoliciesView, 'people' | 'schedules'>): string {
  const nameOf = (named: readonly Named[], id: string) => named.find((each) => each.id === id)?.name ?? `${id} (gone)`;
  switch (target.kind) {
    case 'person':
      return nameOf(people, target.id);
    case 'schedule':
      return `whoever is on call in ${nameOf(schedules, target.id)}`;
    case 'channel':
      return `a channel at ${URL.parse(target.url)?.host ?? 'an address'}`;
  }
}

function Actions({ policy: { id, name }, session }: { policy: StoredPolicy; session: DashboardSession }) {
  return (
    <>
      <a class="button" href={`${POLICIES_URL}?dry-run=${id}`} aria-label={`Dry run of ${name}`}>
        Dry run
      </a>{' '}
      {hasRole(session, 'admin') && (
        <>
          <InlineAction action={`${POLICIES_URL}/${id}/drill`} session={session} text="Drill" label={`Drill ${name}`} />{' '}
          <InlineAction
            action={`${POLICIES_URL}/${id}/delete`}
            session={session}
            text="Delete"
            label={`Delete ${name}`}
          />
        </>
      )}
    </>
  );
}

function Ask({ services, woken }: PoliciesView) {
  return (
    <>
      <form class="row" method="get" action={POLICIES_URL}>
        <Field label="Who would be woken now for" name="service" value={woken?.service} options={services} />
        <button type="submit">Ask</button>
      </form>
      {woken !== null && <Woken woken={woken} />}
    </>
  );
}

function Woken({ woken: { service, policy, steps } }: { woken: OnCallAnswer }) {
  if (policy === null) {
    return (
      <p role="status">
        Nobody: no policy matches <Foreign>{service}</Foreign>.
      </p>
    );
  }
  return (
    <section aria-label="Who would be woken now">
      <p role="status">
        <Foreign>{policy.name}</Foreign> wakes for <Foreign>{service}</Foreign>:
      </p>
      <ol>
        {steps.map(({ after_s: afterS, people, channels, skipped }) => (
          <li>
            {waitWords(afterS)}{' '}
            {people.map(({ name, because, ways }) => (
              <>
                <Foreign>{name}</Foreign> ({<Foreign>{because}</Foreign>}) by{' '}
                {ways.map(({ kind }) => kind.replace('_', ' ')).join(', ')}.{' '}
              </>
            ))}
            {channels > 0 && `${channels === 1 ? 'A channel' : `${channels} channels`}. `}
            {people.length === 0 && channels === 0 && 'Nobody. '}
            {skipped.map((why) => (
              <>
                Skipped: <Foreign>{why}</Foreign>.{' '}
              </>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

const WAITS = [
  ['0', 'at once'],
  ['60', 'after 1 minute'],
  ['120', 'after 2 minutes'],
  ['300', 'after 5 minutes'],
  ['600', 'after 10 minutes'],
  ['1800', 'after 30 minutes'],
] as const;

const HOLDS = [
  ['0', 'at once'],
  ['60', 'after it has lasted 1 minute'],
  ['180', 'after it has lasted 3 minutes'],
  ['600', 'after it has lasted 10 minutes'],
] as const;

const SEVERITIES = [
  ['', 'any severity'],
  ['critical', 'critical'],
  ['critical,error', 'critical and error'],
] as const;

function NewPolicy({ session, people, schedules, services, typed, fault }: PoliciesView) {
  const somebody = [
    ...schedules.map(({ id, name }) => [`schedule:${id}`, `on call: ${name}`] as const),
    ...people.map(({ id, name }) => [`person:${id}`, name] as const),
  ];
  const whom = [['', 'nobody'] as const, ...somebody];
  return (
    <CreateForm
      title="New policy"
      action={POLICIES_URL}
      session={session}
      fault={fault}
      further={
        <button type="submit" name="do" value="dry-run">
          Dry run
        </button>
      }
    >
      <NameField value={typed.name} />
      <Field
        label="Services, or labels (empty: all)"
        name="what"
        value={typed.what}
        placeholder="payments, team:billing"
        options={services}
      />
      <Select label="Severity" name="severity" value={typed.severity} options={SEVERITIES} />
      <Select label="Begin" name="hold" value={typed.hold} options={HOLDS} />
      {FORM_STEPS.map((step) => (
        <>
          <Select label={`Step ${step}`} name={`whom${step}`} value={typed[`whom${step}`]} options={whom} />
          {step > 1 && (
            <Select
              label={`Step ${step} begins`}
              name={`wait${step}`}
              value={typed[`wait${step}`] ?? '300'}
              options={WAITS}
            />
          )}
        </>
      ))}
      <Select
        label="Last resort"
        name="last"
        value={typed.last}
        options={[['', 'everybody who can be woken'] as const, ...somebody]}
      />
    </CreateForm>
  );
}
