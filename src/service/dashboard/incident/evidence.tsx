import { plural } from '../../../incident/phrase.ts';
import { WaterfallBar } from '../../charts/waterfall.tsx';
import { OutsideLink } from '../parts/outside-link.tsx';
import { Region } from '../parts/region.tsx';
import type { Message } from './evidence-of.ts';
import type { IncidentView } from './incident-view.ts';
import type { Trace } from './trace-of.ts';

/** What fails in its own words: messages, one trace, and what the failing signals have in common. */
export function EvidenceOf({ view: { evidence, traceUrl }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { messages, trace } = evidence;
  return (
    <Region id="incident-evidence" title="What it says" isChanged={isChanged}>
      {messages.length === 0 ? (
        <p class="quiet">No signal is stored any more: they were deleted because of their age.</p>
      ) : (
        <>
          <ol class="messages">
            {messages.map((message, index) => (
              <MessageRow message={message} isFirst={index === 0} />
            ))}
          </ol>
          {trace !== null && <TraceView trace={trace} url={traceUrl(trace.id)} />}
          <Common view={evidence} />
        </>
      )}
    </Region>
  );
}

function MessageRow({ message, isFirst }: { message: Message; isFirst: boolean }) {
  const { text, service, times, others, full, signalId } = message;
  return (
    <li>
      <span class="times">{`${times.toLocaleString('en')} ×`}</span>
      <div>
        <bdi>{text}</bdi>
        <p class="quiet small">
          in <bdi>{service}</bdi>
          {others.length > 0 && ', also in '}
          <bdi>{others.join(', ')}</bdi>
          {' · '}
          <a href={`/dashboard/signals/${signalId}`}>One of them</a>
        </p>
        {isFirst && full !== text && <pre class="example">{full}</pre>}
      </div>
    </li>
  );
}

function TraceView({ trace, url }: { trace: Trace; url: string | null }) {
  return (
    <>
      <h3>One failed request</h3>
      <p class="quiet small">
        {`${plural(trace.steps.length, 'failed span or error line', 'failed spans and error lines')} of the trace `}
        {url === null ? <code>{trace.id}</code> : <OutsideLink url={url} text={trace.id} />}
        {`, within ${milliseconds(trace.durationMs)}. What worked is not stored.`}
      </p>
      <ol class="trace">
        {trace.steps.map((step) => (
          <li>
            <span class="step">
              <bdi>
                <strong>{step.service}</strong>
              </bdi>{' '}
              <a href={`/dashboard/signals/${step.signalId}`}>
                <bdi>{step.text}</bdi>
              </a>
            </span>
            <WaterfallBar bar={step} wholeMs={trace.durationMs} />
            <span class="took">{step.durationMs === null ? 'line' : milliseconds(step.durationMs)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Common({ view: { affected, shared, signals } }: { view: IncidentView['evidence'] }) {
  return affected.length + shared.length === 0 ? null : (
    <>
      <h3>Where it fails</h3>
      <dl class="facts">
        {affected.map(({ name, values }) => (
          <>
            <dt>{name}</dt>
            <dd>
              <bdi>{values.join(', ')}</bdi>
            </dd>
          </>
        ))}
        {shared.map((each) => (
          <>
            <dt>
              <code>{each.name}</code>
            </dt>
            <dd>
              <bdi>{each.value}</bdi> <span class="quiet">{`in ${each.signals} of ${signals} failing signals`}</span>
            </dd>
          </>
        ))}
      </dl>
      {shared.length > 0 && (
        <p class="quiet small">
          Shares of the failing signals, by the first example of each. Requests that work are not stored.
        </p>
      )}
    </>
  );
}

function milliseconds(value: number): string {
  return `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value).toLocaleString('en')} ms`;
}
