import { nameOf } from '../../../contract/actor.ts';
import type { IntegrationChange } from '../../core/integration-change.ts';
import { describeKeyEvent, type KeyEvent } from '../../core/key-event.ts';
import type { SignInEvent } from '../../core/sign-in-event.ts';
import type { IncidentAction } from '../../store/incidents/timeline.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { momentWords } from '../incident/timeline.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { integrationUrl } from './integrations-page.tsx';
import { From, METHOD_WORDS } from './people-page.tsx';
import { renderSettingsPage } from './settings-page.tsx';

interface AuditView {
  readonly session: DashboardSession;
  /** Newest first. */
  readonly integrationChanges: readonly IntegrationChange[];
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
  'key-rotated': 'key rotated',
  'secret-rotated': 'signing secret rotated',
  enabled: 'enabled again',
  deleted: 'deleted',
};

export function renderAuditPage({ session, integrationChanges, keyEvents, signIns, actions, now }: AuditView) {
  return renderSettingsPage(
    { title: 'Audit', current: 'audit', session, now },
    <>
      <h2>Incidents</h2>
      <Table
        isLog
        caption="What people did about incidents, newest first"
        columns={['When', 'Incident', 'Change', 'By']}
      >
        {actions.map(({ at, number, event, ...actor }) => (
          <tr>
            <td>
              <Moment at={at} now={now} />
            </td>
            <td data-label="Incident">
              <a href={incidentUrl({ number })}>{`#${number}`}</a>
            </td>
            <td data-label="Change">{momentWords({ event })}</td>
            <td data-label="By">
              <Foreign>{nameOf(actor)}</Foreign>
            </td>
          </tr>
        ))}
      </Table>
      <h2>Integrations</h2>
      <Table
        isLog
        caption="What people did with integrations, newest first"
        columns={['When', 'Integration', 'Change', 'By']}
      >
        {integrationChanges.map(({ at, integrationId, name, isDeleted, type, by }) => (
          <tr>
            <td>
              <Moment at={at} now={now} />
            </td>
            <td data-label="Integration">
              {isDeleted ? (
                <Foreign>{name}</Foreign>
              ) : (
                <a href={integrationUrl(integrationId)}>
                  <Foreign>{name}</Foreign>
                </a>
              )}{' '}
              <span class="quiet">({integrationId})</span>
            </td>
            <td data-label="Change">{INTEGRATION_WORDS[type]}</td>
            <td data-label="By">
              <Foreign>{by}</Foreign>
            </td>
          </tr>
        ))}
      </Table>
      <h2>API keys, also those of integrations</h2>
      <Table isLog caption="Changes of keys, newest first" columns={['When', 'Key', 'Change', 'By']}>
        {keyEvents.map((event) => (
          <tr>
            <td>
              <Moment at={event.at} now={now} />
            </td>
            <td data-label="Key">
              {event.keyName === null ? 'a deleted key' : <Foreign>{event.keyName}</Foreign>}{' '}
              <span class="quiet">({event.keyId})</span>
            </td>
            <td data-label="Change">{describeKeyEvent(event)}</td>
            <td data-label="By">
              <Foreign>{event.by}</Foreign>
            </td>
          </tr>
        ))}
      </Table>
      <h2>Sessions</h2>
      <Table
        isLog
        caption="Sign-ins and ends of sessions, newest first. Sessions that expire are not listed."
        columns={['When', 'Person', 'Change', 'By', 'From']}
      >
        {signIns.map((event) => (
          <tr>
            <td>
              <Moment at={event.at} now={now} />
            </td>
            <td data-label="Person">
              <Foreign>{event.person}</Foreign> <span class="quiet">({event.role})</span>
            </td>
            <td data-label="Change">
              {SIGN_IN_WORDS[event.type]}
              {event.type === 'signed-in' && `, ${METHOD_WORDS[event.method]}`}
            </td>
            <td data-label="By">
              <Foreign>{event.by}</Foreign>
            </td>
            <td data-label="From">
              <From {...event} />
            </td>
          </tr>
        ))}
      </Table>
    </>,
  );
}
