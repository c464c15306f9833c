import { Severity } from '../../../contract/resources.ts';
import type { Incident } from '../../core/incident.ts';
import { hasRole } from '../../core/session.ts';
import type { Page } from '../../store/shared/page.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { NavLink, renderPage } from '../layout.tsx';
import { ActionForm } from '../parts/action-form.tsx';
import { Fault } from '../parts/fault.tsx';
import { Filters } from '../parts/filters.tsx';
import { Field, Select } from '../parts/form.tsx';
import { Pager } from '../parts/pager.tsx';
import { nextPage, previousPage } from '../parts/paging.ts';
import { SendSignals } from '../parts/send-signals.tsx';
import { NothingOpen, type Watched } from '../parts/watched.tsx';
import { IncidentRow, RowTitles } from './incident-row.tsx';
import { type IncidentsQuery, incidentsUrl, isFiltered, orderOf } from './incidents-query.ts';

export interface IncidentsView {
  readonly query: IncidentsQuery;
  readonly page: Page<Incident>;
  /** To choose from. */
  readonly services: readonly string[];
  /** To choose from: `team:payments` and so on. */
  readonly labels: readonly string[];
  readonly liveUrl: string | null;
  readonly session: DashboardSession;
  readonly now: Date;
  readonly publicUrl: string;
  /** null: the list has incidents, or no call is known. */
  readonly watched: Watched | null;
  /** There has never been an incident. */
  readonly isNew: boolean;
  /** What came of the last action, in one sentence. */
  readonly notice: string | null;
}

const TITLES = { open: 'Open incidents', closed: 'Closed incidents', all: 'All incidents' } as const;

export function renderIncidentsPage(view: IncidentsView) {
  const { query, page, now, session, liveUrl } = view;
  const { after: _after, ...rest } = query;
  const mayAct = hasRole(session, 'responder');
  return renderPage(
    {
      title: TITLES[query.status],
      section: 'incidents',
      session,
      now,
      liveUrl,
      heading: <ListHead query={query} mayAct={mayAct} />,
    },
    <>
      {(!view.isNew || isFiltered(query)) && <IncidentFilters view={view} />}
      <Fault text={view.notice} />
      <NewIncidents count={0} query={query} />
      {page.items.length === 0 ? (
        <Nothing {...view} />
      ) : (
        <ActionForm action="/dashboard/incidents/acknowledge" session={session}>
          <input type="hidden" name="return_to" value={incidentsUrl(rest)} />
          <p class="summary line">
            <span class="quiet">{summaryOf(view)}</span>
            {mayAct && (
              <button type="submit" class="several">
                Acknowledge the selected
              </button>
            )}
          </p>
          <RowTitles />
          <ol class="incidents">
            {page.items.map((incident) => (
              <IncidentRow incident={incident} now={now} mayAct={mayAct} />
            ))}
          </ol>
        </ActionForm>
      )}
      <Pages query={query} page={page} />
    </>,
  );
}

function ListHead({ query, mayAct }: { query: IncidentsQuery; mayAct: boolean }) {
  return (
    <div class="list-head">
      <h1>{TITLES[query.status]}</h1>
      <Tabs query={query} />
      {mayAct && (
        <a class="button" href="/dashboard/incidents/declare">
          Declare an incident
        </a>
      )}
    </div>
  );
}

function Tabs({ query }: { query: IncidentsQuery }) {
  const { after: _after, sort: _sort, ...rest } = query;
  return (
    <nav aria-label="Which incidents">
      <ul class="tabs">
        {(['open', 'closed', 'all'] as const).map((status) => (
          <li>
            <NavLink
              href={incidentsUrl({ ...rest, status })}
              text={status === 'open' ? 'Open' : status === 'closed' ? 'Closed' : 'All'}
              isCurrent={query.status === status}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function IncidentFilters({ view: { query, services, labels } }: { view: IncidentsView }) {
  return (
    <Filters
      label="Filter incidents"
      action="/dashboard/incidents"
      unfiltered={isFiltered(query) ? incidentsUrl({ status: query.status }) : null}
    >
      {query.status !== 'open' && <input type="hidden" name="status" value={query.status} />}
      <Field label="Text" name="q" type="search" value={query.q} placeholder="title or service" />
      <Select label="Severity" name="severity" value={query.severity} options={[['', 'any'], ...Severity.options]} />
      <Field label="Service" name="service" value={query.service} options={services} />
      <Field label="Label" name="label" value={query.label} placeholder="team:payments" options={labels} />
      <Select
        label="Acknowledged"
        name="acknowledged"
        value={query.acknowledged}
        options={[['', 'either'], 'yes', 'no']}
      />
      {query.status === 'open' && (
        <Select
          label="Order"
          name="sort"
          value={query.sort}
          options={[
            ['', 'worst first'],
            ['newest', 'newest first'],
          ]}
        />
      )}
    </Filters>
  );
}

/** "2 new incidents". The stream replaces it; following it inserts them. */
export function NewIncidents(view: { count: number; query: IncidentsQuery; isChanged?: boolean }) {
  const { count, query, isChanged = false } = view;
  const { after: _after, ...rest } = query;
  return (
    <p id="new-incidents" role="status" data-count={count} {...(isChanged ? { 'hx-swap-oob': 'outerMorph' } : {})}>
      {count > 0 && (
        <a class="button" href={incidentsUrl(rest)}>
          {count === 1 ? '1 new incident' : `${count.toLocaleString('en')} new incidents`}: show
        </a>
      )}
    </p>
  );
}

function summaryOf({ query, page }: IncidentsView): string {
  const order = orderOf(query) === 'severity' ? 'worst first' : 'newest first';
  const bound = page.isTotalLowerBound === true ? 'more than ' : '';
  const total = page.total === 1 ? '1 incident' : `${bound}${page.total.toLocaleString('en')} incidents`;
  return query.after === null && page.end === null
    ? `${total}, ${order}`
    : `${page.items.length} of ${total}, ${order}`;
}

function Nothing({ query, publicUrl, watched, isNew, now }: IncidentsView) {
  if (query.after !== null) {
    return <p class="empty">There are no more incidents.</p>;
  }
  if (isFiltered(query)) {
    return (
      <p class="empty">
        No incident matches. <a href={incidentsUrl({ status: query.status })}>Remove the filters</a>, or look in{' '}
        <a href={incidentsUrl({ ...query, status: 'all' })}>all incidents</a>.
      </p>
    );
  }
  if (query.status === 'closed') {
    return <p class="empty">No incident has been closed yet.</p>;
  }
  return (
    <>
      {watched !== null && <NothingOpen watched={watched} now={now} />}
      {watched === null && !isNew && (
        <>
          <p class="empty calm">No incident is open.</p>
          <p class="quiet">
            No call between services was seen in the last day, so only alerts and what people declare open one. Look at
            what arrived last from <a href="/dashboard/settings/integrations">each integration</a>.
          </p>
        </>
      )}
      {watched === null && isNew && (
        <>
          <p class="empty">
            No incident is open, because nothing has reported yet. Incidents open automatically when services report
            failures.
          </p>
          <SendSignals publicUrl={publicUrl} />
        </>
      )}
    </>
  );
}

function Pages({ query, page: { end } }: Pick<IncidentsView, 'query' | 'page'>) {
  const { after, ...rest } = query;
  const [previous, next] = [previousPage(query), nextPage(query, end)];
  return (
    <Pager
      label="Pages"
      first={after === null ? null : { href: incidentsUrl(rest), text: 'First page' }}
      previous={previous && { href: incidentsUrl({ ...rest, ...previous }), text: 'Previous page' }}
      next={next && { href: incidentsUrl({ ...rest, ...next }), text: 'Next page' }}
    />
  );
}
