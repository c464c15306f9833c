import { renderPage } from '../layout.tsx';
import { liveUrl } from '../live/live-url.ts';
import { Actions } from './actions.tsx';
import { CallMap } from './call-map.tsx';
import { EvidenceOf } from './evidence.tsx';
import { Failures } from './failures.tsx';
import { type FormFault, Forms } from './forms.tsx';
import { Facts, Head } from './head.tsx';
import type { IncidentView } from './incident-view.ts';
import { SignalsOf } from './signals-of.tsx';
import { Similar } from './similar.tsx';
import { Timeline } from './timeline.tsx';
import { Why } from './why.tsx';

interface PageView {
  readonly view: IncidentView;
  /** Sequence of the last event that the page contains. */
  readonly position: bigint;
  readonly parameters: Readonly<Record<string, string>>;
  /** Fault of the form that led here. */
  readonly fault: FormFault | null;
}

export function renderIncidentPage({ view, position, parameters, fault }: PageView) {
  const { incident, session } = view;
  return renderPage(
    {
      title: `#${incident.number} ${incident.title}`,
      section: 'incidents',
      session,
      now: view.now,
      liveUrl: liveUrl('incident', position, { ...parameters, id: incident.id }),
      heading: <Head view={view} isChanged={false} />,
    },
    <>
      <div class="toolbar">
        <Actions view={view} isChanged={false} />
        <Forms view={view} fault={fault} />
      </div>
      <div class="columns">
        <div class="people">
          <Timeline view={view} isChanged={false} />
          <Similar view={view} />
        </div>
        <div class="proof">
          <EvidenceOf view={view} isChanged={false} />
          <Failures view={view} isChanged={false} />
        </div>
        <div>
          <Why view={view} isChanged={false} />
          <Facts view={view} isChanged={false} />
        </div>
      </div>
      <CallMap view={view} isChanged={false} />
      <SignalsOf view={view} isChanged={false} />
    </>,
  );
}

/** Everything of the page that changes with the incident, to replace what the page shows. */
export function ChangedParts({ view }: { view: IncidentView }) {
  return (
    <>
      <Head view={view} isChanged />
      <Actions view={view} isChanged />
      <EvidenceOf view={view} isChanged />
      <Failures view={view} isChanged />
      <Why view={view} isChanged />
      <CallMap view={view} isChanged />
      <Facts view={view} isChanged />
      <Timeline view={view} isChanged />
      <SignalsOf view={view} isChanged />
    </>
  );
}
