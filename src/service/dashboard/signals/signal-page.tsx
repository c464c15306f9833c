import type { Incident } from '../../core/incident.ts';
import type { SignalDetail, StoredSignal } from '../../core/signal.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl, type TraceUrl } from '../incident/incident-view.ts';
import { renderPage } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Moment } from '../parts/time.tsx';
import { TraceLink } from './signal-list.tsx';

interface SignalView {
  readonly signal: StoredSignal;
  /** null: it belongs to none, or that is gone. */
  readonly incident: Pick<Incident, 'number' | 'title'> | null;
  readonly traceUrl: TraceUrl;
  readonly session: DashboardSession;
  readonly now: Date;
}

export function renderSignalPage({ signal, incident, traceUrl, session, now }: SignalView) {
  return renderPage(
    { title: signal.summary, section: 'signals', session, now },
    <>
      <p class="line">
        <span class={`type type-${signal.type}`}>{signal.type}</span>
        <SeverityMark severity={signal.severity} />
        <TraceLink signal={signal} traceUrl={traceUrl} />
      </p>
      <dl class="facts">
        <dt>Service</dt>
        <dd>
          <a href={`/dashboard/services/${encodeURIComponent(signal.service)}`}>
            <Foreign>{signal.service}</Foreign>
          </a>
        </dd>
        <dt>Incident</dt>
        <dd>
          {incident === null ? (
            'none'
          ) : (
            <a href={incidentUrl(incident)}>
              {`#${incident.number} `}
              <Foreign>{incident.title}</Foreign>
            </a>
          )}
        </dd>
        <dt>Times seen</dt>
        <dd>{signal.occurrences.toLocaleString('en')}</dd>
        <dt>First seen</dt>
        <dd>
          <Moment at={signal.observedAt} now={now} />
        </dd>
        <dt>Last seen</dt>
        <dd>
          <Moment at={signal.lastSeenAt} now={now} />
        </dd>
        {signal.endedAt !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <Moment at={signal.endedAt} now={now} />
            </dd>
          </>
        )}
        <Identifier name="Trace" value={signal.traceId} />
        <Identifier name="Span" value={signal.spanId} />
        <Detail detail={signal.detail} />
      </dl>
      <Values title="Attributes" values={signal.attributes} />
      <Values title="Source" values={signal.source} />
    </>,
  );
}

function Identifier({ name, value }: { name: string; value: string | null }) {
  return value === null ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <code>
          <Foreign>{value}</Foreign>
        </code>
      </dd>
    </>
  );
}

function Detail({ detail }: { detail: SignalDetail }) {
  switch (detail.type) {
    case 'trace':
      return (
        <>
          <dt>Duration</dt>
          <dd>{`${detail.durationMs.toLocaleString('en')} ms`}</dd>
          <dt>Status</dt>
          <dd>
            <Foreign>{detail.status}</Foreign>
          </dd>
        </>
      );
    case 'metric':
      return (
        <>
          <dt>Value</dt>
          <dd>
            <Foreign>{`${detail.value} ${detail.unit}`}</Foreign>
          </dd>
          <dt>Threshold</dt>
          <dd>
            <Foreign>{`${detail.threshold} ${detail.unit}`}</Foreign>
          </dd>
        </>
      );
    case 'log':
      return (
        <>
          <dt>Line</dt>
          <dd>
            <pre class="body">
              <Foreign>{detail.body}</Foreign>
            </pre>
          </dd>
        </>
      );
    case 'alert':
      return null;
  }
}

function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values);
  return entries.length === 0 ? null : (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl class="facts">
        {entries.map(([name, value]) => (
          <>
            <dt>
              <code>
                <Foreign>{name}</Foreign>
              </code>
            </dt>
            <dd class="value">
              {typeof value === 'string' ? <LinkedText text={value} /> : <Foreign>{JSON.stringify(value)}</Foreign>}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
