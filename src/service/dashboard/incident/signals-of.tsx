import { SignalType } from '../../../contract/resources.ts';
import { plural } from '../../../incident/phrase.ts';
import { signalCountOf } from '../../core/incident.ts';
import { Field, Select } from '../parts/form.tsx';
import { Region } from '../parts/region.tsx';
import { SignalList, SignalPager } from '../signals/signal-list.tsx';
import { isNarrowed } from '../signals/signals-query.ts';
import { type IncidentView, incidentUrl } from './incident-view.ts';

const ANCHOR = '#incident-signals';

/** The newest signals, with filters. */
export function SignalsOf({ view, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { incident, signals, query, traceUrl, now } = view;
  const path = incidentUrl(incident);
  const isCut = signals.end !== null || query.after !== null || isNarrowed(query);
  const total = plural(signalCountOf(incident), 'signal');
  return (
    <Region id="incident-signals" title="Signals" isChanged={isChanged}>
      <search>
        <form class="filters" method="get" action={path + ANCHOR} aria-label="Filter signals" hx-morph-skip="">
          <Select label="Kind" name="type" value={query.type} options={[['', 'any'], ...SignalType.options]} />
          <Field label="Service" name="service" value={query.service} options={incident.services} />
          <Field label="Text" name="q" type="search" value={query.q} placeholder="part of the summary" />
          {query.chart !== undefined && <input type="hidden" name="chart" value={query.chart} />}
          <button type="submit">Show</button>
          {isNarrowed(query) && <a href={path + ANCHOR}>Remove the filters</a>}
        </form>
      </search>
      <p class="quiet summary">
        {isCut ? `${signals.items.length} of ${total}, newest first` : `${total}, newest first`}
      </p>
      {signals.items.length === 0 ? (
        <p class="empty">No signal matches, or it was deleted because of its age.</p>
      ) : (
        <SignalList signals={signals.items} traceUrl={traceUrl} now={now} />
      )}
      <SignalPager path={path} query={query} end={signals.end} anchor={ANCHOR} />
    </Region>
  );
}
