import { plural } from '../../../incident/phrase.ts';
import { WaterfallBar } from '../../charts/waterfall.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { OutsideLink } from '../parts/outside-link.tsx';
import { Region } from '../parts/region.tsx';
import { Differences } from './differences.tsx';
import type { Message } from './evidence-of.ts';
import { type IncidentView, signalsUrl } from './incident-view.ts';
import type { Trace } from './trace-of.ts';

/** What fails in its own words: messages, one trace, and what the failing signals have in common. */
export function EvidenceOf({ view, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { evidence, traceUrl } = view;
  const { messages, moreMessages, isCut, trace } = evidence;
  return (
    <Region id="incident-evidence" title="What it says" isChanged={isChanged}>
      {messages.length === 0 ? (
        <p class="quiet">No signal is stored any more: they were deleted because of their age.</p>
      ) : (
        <Messages messages={messages.slice(0, 1)} isFirst />
      )}
      {messages.length > 1 && (
        <details>
          <summary>{`${isCut ? 'At least ' : ''}${plural(messages.length - 1 + moreMessages, 'other message')}`}</summary>
          <Messages messages={messages.slice(1)} />
          {moreMessages > 0 && <a href={signalsUrl(view.incident)}>{`and ${plural(moreMessages, 'more')}`}</a>}
        </details>
      )}
      <Differences view={view} />
      {trace !== null && <TraceView trace={trace} url={traceUrl(trace.id)} />}
      <Common view={evidence} />
    </Region>
  );
}

function Messages({ messages, isFirst = false }: { messages: readonly Message[]; isFirst?: boolean }) {
  return (
    <ol class="messages">
      {messages.map((message) => (
        <MessageRow message={message} isFirst={isFirst} />
      ))}
    </ol>
  );
}

function MessageRow({ message, isFirst }: { message: Message; isFirst: boolean }) {
  const { text, service, times, isMeasured, others, full, signalId } = message;
  return (
    <li>
      <span class="times">{isMeasured ? '' : `${times.toLocaleString('en')} ×`}</span>
      <div>
        <Foreign>{text}</Foreign>
        <p class="quiet small">
          in <Foreign>{service}</Foreign>
          {others.length > 0 && ', also in '}
          <Foreign>{others.join(', ')}</Foreign>
          {' · '}
          <a href={`/dashboard/signals/${signalId}`}>{isMeasured ? 'What was measured' : 'One of them'}</a>
        </p>
        {isFirst && full !== text && (
          <pre class="example" tabindex={0}>
            <Foreign>{full}</Foreign>
          </pre>
        )}
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
        {url === null ? (
          <code>
            <Foreign>{trace.id}</Foreign>
          </code>
        ) : (
          <OutsideLink url={url} text={trace.id} />
        )}
        {`, within ${milliseconds(trace.durationMs)}`}
      </p>
      <ol class="trace">
        {trace.steps.map((step) => (
          <li>
            <span class="step">
              <strong>
                <Foreign>{step.service}</Foreign>
              </strong>{' '}
              <a href={`/dashboard/signals/${step.signalId}`}>
                <Foreign>{step.text}</Foreign>
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

function Common({ view: { affected, shared, signals, isCut } }: { view: IncidentView['evidence'] }) {
  return affected.length + shared.length === 0 ? null : (
    <details>
      <summary>Where it fails: operations, versions, hosts</summary>
      <dl class="facts">
        {affected.map(({ name, values }) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Foreign>{values.join(', ')}</Foreign>
            </dd>
          </>
        ))}
        {shared.map((each) => (
          <>
            <dt>
              <code>
                <Foreign>{each.name}</Foreign>
              </code>
            </dt>
            <dd>
              <Foreign>{each.value}</Foreign>{' '}
              <span class="quiet">{`in ${each.signals} of ${signals} failing signals`}</span>
            </dd>
          </>
        ))}
      </dl>
      {shared.length > 0 && (
        <p class="quiet small">
          {isCut ? `Shares of the ${signals} most frequent failing signals` : 'Shares of the failing signals'}, by the
          first example of each. Requests that work are not stored.
        </p>
      )}
    </details>
  );
}

function milliseconds(value: number): string {
  return `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value).toLocaleString('en')} ms`;
}
