import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { plural } from '../../../incident/phrase.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { Filters } from '../parts/filters.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { SendSignals } from '../parts/send-signals.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { pageAddress } from '../query-fields.ts';
import { LATELY, rateWords, type ServiceFacts } from './service-facts.ts';

const PATH = '/dashboard/services';
const SHOWN = 200;

interface ServicesView {
  /** Those that match. */
  readonly services: readonly ServiceFacts[];
  /** Part of a name; empty: all. */
  readonly text: string;
  /** The one whose services these are, and all of them. */
  readonly system: string;
  readonly systems: readonly string[];
  readonly session: DashboardSession;
  readonly publicUrl: string;
  readonly now: Date;
}

/** @param system the default one is not named */
export function serviceUrl(name: string, system: string = MAIN_SYSTEM): string {
  return pageAddress(`${PATH}/${encodeURIComponent(name)}`, system === MAIN_SYSTEM ? {} : { system });
}

export function renderServicesPage(view: ServicesView) {
  const { services, text, system, systems, session, now } = view;
  const shown = services.slice(0, SHOWN);
  return renderPage(
    { title: 'Services', section: 'services', session, now },
    <>
      <Filters label="Filter services" action={PATH} unfiltered={text === '' ? null : PATH}>
        <Field label="Name" name="q" type="search" value={text} placeholder="part of the name" />
        {systems.length > 1 && <Select label="System" name="system" value={system} options={systems} />}
      </Filters>
      {services.length === 0 ? (
        <Nothing {...view} />
      ) : (
        <>
          <Table caption={<Shown shown={shown.length} of={services.length} />} columns={COLUMNS}>
            {shown.map((service) => (
              <ServiceRow service={service} system={system} now={now} />
            ))}
          </Table>
          {shown.some(({ failedPerMinute }) => rateWords(failedPerMinute) !== '') && <p class="quiet">{LATELY}</p>}
        </>
      )}
    </>,
  );
}

const COLUMNS = ['Service', 'Open incidents', 'Failed calls', 'Calls', 'Called by', 'Last deployment'];

function Shown({ shown, of: all }: { shown: number; of: number }) {
  return shown === all
    ? `${plural(all, 'service')}, those in trouble first`
    : `${shown} of ${plural(all, 'service')}: give part of a name to see others`;
}

function ServiceRow({ service, system, now }: { service: ServiceFacts; system: string; now: Date }) {
  const { name, openIncidents, isFailing, failedPerMinute, callers, callees, changes } = service;
  const rate = rateWords(failedPerMinute);
  return (
    <tr>
      <td>
        <a data-row="" href={serviceUrl(name, system)}>
          <Foreign>{name}</Foreign>
        </a>
      </td>
      <td data-label={openIncidents === 0 ? undefined : 'Open incidents'} class={isFailing ? 'alarm' : ''}>
        {openIncidents === 0 ? '' : openIncidents.toLocaleString('en')}
      </td>
      <td class={isFailing ? 'alarm' : ''}>{rate}</td>
      <td data-label={callees.length === 0 ? undefined : 'Calls'} class="quiet">
        {callees.length > 0 && <span class="word">{plural(callees.length, 'service')}</span>}
      </td>
      <td data-label={callers.length === 0 ? undefined : 'Called by'} class="quiet">
        {callers.length > 0 && <span class="word">{plural(callers.length, 'service')}</span>}
      </td>
      <td data-label={changes[0] === undefined ? undefined : 'Deployed'} class="quiet">
        {changes[0] !== undefined && (
          <>
            <Foreign>{changes[0].version}</Foreign> <Ago at={changes[0].at} now={now} />
          </>
        )}
      </td>
    </tr>
  );
}

function Nothing({ text, publicUrl }: ServicesView) {
  if (text !== '') {
    return (
      <p class="empty">
        No service has this in its name. <a href={PATH}>See all services</a>.
      </p>
    );
  }
  return (
    <>
      <p class="empty">No service is known yet. Services appear once they send traces, logs or alerts.</p>
      <SendSignals publicUrl={publicUrl} />
    </>
  );
}
