import { nameOf } from '../../../contract/actor.ts';
import type { Mute } from '../../../contract/mute.ts';
import type { Incident } from '../../core/incident.ts';
import { hasRole } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { CreateForm } from './create-form.tsx';
import { renderSettingsPage } from './settings-page.tsx';

/** What was typed into the form. */
export interface TypedMute {
  readonly what: string;
  readonly start: string;
  readonly minutes: string;
  readonly repeat: string;
  readonly zone: string;
  readonly reason: string;
}

type Muted = Pick<Incident, 'number' | 'title'>;

interface MutesView {
  readonly session: DashboardSession;
  readonly mutes: readonly Mute[];
  /** Those that are muted themselves, by id. */
  readonly incidents: ReadonlyMap<string, Muted>;
  /** Labels and services. */
  readonly choices: readonly string[];
  readonly typed: TypedMute;
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
  readonly now: Date;
}

const LENGTHS = [
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['480', '8 hours'],
  ['1440', '1 day'],
  ['10080', '7 days'],
] as const;

const REPEATS = [
  ['', 'Once'],
  ['day', 'Every day'],
  ['week', 'Every week'],
] as const;

/** All mutes, also the silences that amtool made. */
export function renderMutesPage(view: MutesView) {
  const { session, mutes, incidents, now } = view;
  const mayEnd = hasRole(session, 'responder');
  return renderSettingsPage(
    { title: 'Mutes', current: 'mutes', session, now },
    <>
      <p>
        While a mute holds, nobody is reminded and no new messages are posted. Silences of amtool are here too. Labels
        mute the incidents that have all of them, such as <code>team:payments, env:prod*</code>. Work that was planned
        in Slack is here once it has started.
      </p>
      {mayEnd && <NewMute {...view} />}
      {mutes.length === 0 ? (
        <p class="empty">Nothing is muted.</p>
      ) : (
        <RecordTable
          caption="The first to end first, then what starts later"
          records={mutes}
          values={{
            Muted: ({ target, value }) => <Target target={target} value={value} incident={incidents.get(value)} />,
            From: ({ starts_at: startsAt, repeat }) => (
              <>
                {startsAt ? <Moment at={new Date(startsAt)} now={now} /> : 'now'}
                {repeat && `, every ${repeat}`}
              </>
            ),
            Until: ({ until }) => <Moment at={new Date(until)} now={now} />,
            By: ({ created_by: by, created_by_id: byId }) => <Foreign>{nameOf({ by, byId })}</Foreign>,
            Reason: ({ reason }) => (reason === null || reason === '' ? 'none given' : <Foreign>{reason}</Foreign>),
          }}
          action={
            mayEnd
              ? {
                  heading: 'End',
                  of: (mute) => <EndMute mute={mute} session={session} incident={incidents.get(mute.value)} />,
                }
              : null
          }
        />
      )}
    </>,
  );
}

function Target({ target, value, incident }: Pick<Mute, 'target' | 'value'> & { incident: Muted | undefined }) {
  if (incident === undefined) {
    return (
      <>
        {target} <Foreign>{value}</Foreign>
      </>
    );
  }
  return (
    <a href={incidentUrl(incident)}>
      #{incident.number} <Foreign>{incident.title}</Foreign>
    </a>
  );
}

function EndMute({ mute, session, incident }: { mute: Mute; session: DashboardSession; incident: Muted | undefined }) {
  const { id, target, value, starts_at: startsAt } = mute;
  const verb = startsAt ? 'Cancel' : 'End';
  const what = incident === undefined ? `${target} ${value}` : `incident #${incident.number}`;
  return (
    <InlineAction
      action={`/dashboard/settings/mutes/${id}/end`}
      session={session}
      text={verb}
      label={`${verb} the mute of ${what}`}
    />
  );
}

function NewMute({ session, choices, typed, fault }: MutesView) {
  return (
    <CreateForm
      title="Mute a service or labels"
      action="/dashboard/settings/mutes"
      session={session}
      fault={fault}
      verb="Mute"
    >
      <Field
        label="Service, or labels"
        name="what"
        value={typed.what}
        placeholder="payments or team:billing"
        options={choices}
      />
      <Field label="Start (empty: now)" name="start" type="datetime-local" value={typed.start} />
      <Select label="For" name="minutes" value={typed.minutes} options={LENGTHS} />
      <Select label="Repeat" name="repeat" value={typed.repeat} options={REPEATS} />
      <Field label="Time zone" name="zone" value={typed.zone} placeholder="UTC" />
      <Field label="Why" name="reason" value={typed.reason} />
    </CreateForm>
  );
}
