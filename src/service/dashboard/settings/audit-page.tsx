import { nameWithAddress } from '../../../contract/actor.ts';
import type { IntegrationChange } from '../../core/integration-change.ts';
import { describeKeyEvent, type KeyEvent } from '../../core/key-event.ts';
import type { ScheduleChange, ScheduleChangeType } from '../../core/schedule-change.ts';
import type { SignInEvent } from '../../core/sign-in-event.ts';
import type { IncidentAction } from '../../store/incidents/timeline.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { momentWords } from '../incident/timeline.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { integrationUrl } from './integrations-page.tsx';
import { From, METHOD_WORDS } from './people-page.tsx';
import { renderSettingsPage } from './settings-page.tsx';

interface AuditView {
  readonly session: DashboardSession;
  /** Newest first. */
  readonly integrationChanges: readonly IntegrationChange[];
  /** Newest first. */
  readonly scheduleChanges: readonly ScheduleChange[];
  /** Newest first. */
  readonly keyEvents: readonly KeyEvent[];
  /** Newest first. */
  readonly signIns: readonly SignInEvent[];
  /** Newest first. */
  readonly actions: readonly IncidentAction[];
  readonly now: Date;
}

const SIGN_IN_WORDS: Readonly<Record<SignInEvent['type'], string>> = {
  'signed-in': 'signed in',
  'signed-out': 'signed out',
  ended: 'session ended',
};

const INTEGRATION_WORDS: Readonly<Record<IntegrationChange['type'], string>> = {
  created: 'created',
  'mapping-changed': 'mapping changed',
  'system-changed': 'moved to another system',
  'key-rotated': 'key rotated',
  'secret-rotated': 'signing secret rotated',
  enabled: 'enabled again',
  deleted: 'deleted',
};

const SCHEDULE_WORDS: Readonly<Record<ScheduleChangeType, string>> = {
  created: 'created',
  edited: 'edited',
  deleted: 'deleted',
  'override-made': 'override',
  'override-ended': 'override ended',
  'calendar-set': 'calendar',
  'calendar-removed': 'calendar removed',
  'feed-made': 'calendar address',
  'feed-revoked': 'calendar address revoked',
  'swap-asked': 'swap asked',
  'swap-taken': 'swap taken',
  'swap-undone': 'swap given back',
  'swap-declined': 'swap declined',
  'swap-withdrawn': 'swap withdrawn',
};

export function renderAuditPage(view: AuditView) {
  const { session, integrationChanges, scheduleChanges, keyEvents, signIns, actions, now } = view;
  const when = ({ at }: { readonly at: Date }) => <Moment at={at} now={now} />;
  const author = ({ by }: { readonly by: string }) => <Foreign>{by}</Foreign>;
  return renderSettingsPage(
    { title: 'Audit', current: 'audit', session, now },
    <>
      <h2>Incidents</h2>
      <RecordTable
        isLog
        caption="What people did about incidents, newest first"
        records={actions}
        values={{
          When: when,
          Incident: ({ number }) => <a href={incidentUrl({ number })}>{`#${number}`}</a>,
          Change: ({ event }) => momentWords({ event }),
          By: (actor) => <Foreign>{nameWithAddress(actor)}</Foreign>,
        }}
      />
      <h2>Integrations</h2>
      <RecordTable
        isLog
        caption="What people did with integrations, newest first"
        records={integrationChanges}
        values={{
          When: when,
          Integration: ({ integrationId, name, isDeleted }) => (
            <>
              {isDeleted ? (
                <Foreign>{name}</Foreign>
              ) : (
                <a href={integrationUrl(integrationId)}>
                  <Foreign>{name}</Foreign>
                </a>
              )}{' '}
              <span class="quiet">({integrationId})</span>
            </>
          ),
          Change: ({ type }) => INTEGRATION_WORDS[type],
          By: author,
        }}
      />
      <h2>On call</h2>
      <RecordTable
        isLog
        caption="Changes of schedules, newest first"
        records={scheduleChanges}
        values={{
          When: when,
          Schedule: ({ name }) => <Foreign>{name}</Foreign>,
          Change: ({ type, text }) => (
            <>
              {SCHEDULE_WORDS[type]}
              {text !== null && (
                <>
                  , <Foreign>{text}</Foreign>
                </>
              )}
            </>
          ),
          By: author,
        }}
      />
      <h2>API keys, also those of integrations</h2>
      <RecordTable
        isLog
        caption="Changes of keys, newest first"
        records={keyEvents}
        values={{
          When: when,
          Key: ({ keyId, keyName }) => (
            <>
              {keyName === null ? 'a deleted key' : <Foreign>{keyName}</Foreign>} <span class="quiet">({keyId})</span>
            </>
          ),
          Change: describeKeyEvent,
          By: author,
        }}
      />
      <h2>Sessions</h2>
      <RecordTable
        isLog
        caption="Sign-ins and ends of sessions, newest first. Sessions that expire are not listed."
        records={signIns}
        values={{
          When: when,
          Person: ({ person, role }) => (
            <>
              <Foreign>{person}</Foreign> <span class="quiet">({role})</span>
            </>
          ),
          Change: (event) => (
            <>
              {SIGN_IN_WORDS[event.type]}
              {event.type === 'signed-in' && `, ${METHOD_WORDS[event.method]}`}
            </>
          ),
          By: author,
          From: (event) => <From {...event} />,
        }}
      />
    </>,
  );
}
