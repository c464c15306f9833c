import { plural } from '../../../incident/phrase.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { Filters } from '../parts/filters.tsx';
import { Field } from '../parts/form.tsx';
import { SendSignals } from '../parts/send-signals.tsx';
import { Ago } from '../parts/time.tsx';
import { rateWords, type ServiceFacts } from './service-facts.ts';

const PATH = '/dashboard/services';
const SHOWN = 200;

interface ServicesView {
  /** Those that match. */
  readonly services: readonly ServiceFacts[];
  /** Part of a name; empty: all. */
  readonly text: string;
  readonly session: DashboardSession;
  readonly publicUrl: string;
  readonly now: Date;
}

export function serviceUrl(name: string): string {
  return `${PATH}/${encodeURIComponent(name)}`;
}

export function renderServicesPage(view: ServicesView) {
  const { services, text, session, now } = view;
  const shown = services.slice(0, SHOWN);
  return renderPage(
    { title: 'Services', section: 'services', session },
    <>
      <Filters label="Filter services" action={PATH} unfiltered={text === '' ? null : PATH}>
        <Field label="Name" name="q" type="search" value={text} placeholder="part of the name" />
      </Filters>
      {services.length === 0 ? (
        <Nothing {...view} />
      ) : (
        <>
          <p class="quiet summary">
            {shown.length === services.length
              ? `${plural(services.length, 'service')}, those in trouble first`
              : `${shown.length} of ${plural(services.length, 'service')}: give part of a name to see others`}
          </p>
          <ul class="services">
            {shown.map((service) => (
              <ServiceRow service={service} now={now} />
            ))}
          </ul>
        </>
      )}
    </>,
  );
}

function ServiceRow({ service, now }: { service: ServiceFacts; now: Date }) {
  const { name, openIncidents, failedPerMinute, callers, callees, changes } = service;
  const rate = rateWords(failedPerMinute);
  return (
    <li>
      <p>
        <a data-row="" href={serviceUrl(name)}>
          {name}
        </a>
      </p>
      <p class="line quiet">
        {openIncidents > 0 && <span class="alarm">{plural(openIncidents, 'open incident')}</span>}
        {rate !== '' && <span class="alarm">{rate}</span>}
        <span>{callees.length === 0 ? 'calls no service' : `calls ${plural(callees.length, 'service')}`}</span>
        <span>{callers.length === 0 ? 'called by no service' : `called by ${plural(callers.length, 'service')}`}</span>
        {changes[0] !== undefined && (
          <span>
            deployed <Ago at={changes[0].at} now={now} />
          </span>
        )}
      </p>
    </li>
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
