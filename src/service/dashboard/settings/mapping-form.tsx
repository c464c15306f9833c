import type { Integration } from '../../core/integration.ts';
import { MAPPED_FIELDS, type Mapped } from '../../ingest/mapping.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Fault } from '../parts/fault.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { integrationUrl } from './integrations-page.tsx';

export type MappingTexts = Readonly<Partial<Record<(typeof MAPPED_FIELDS)[number], string | undefined>>>;

/** What a mapping reads from one kept payload. */
export interface MappingPreview {
  /** JSON, masked. */
  readonly payload: string;
  /** null: it is not JSON. */
  readonly mapped: Mapped | null;
}

interface MappingFormView {
  readonly session: DashboardSession;
  readonly integration: Integration;
  readonly mapping: MappingTexts;
  readonly fault: string | null;
  readonly previews: readonly MappingPreview[];
  readonly isSuggested?: boolean;
}

const LABELS: Readonly<Record<(typeof MAPPED_FIELDS)[number], string>> = {
  title: 'Title (required)',
  service: 'Service',
  severity: 'Severity: critical, error, warning, info or P1 to P5',
  key: 'Key: equal keys are the same failure',
  state: 'State: ok or resolved ends the failure',
  link: 'Link',
};

const EXAMPLES: Readonly<Record<(typeof MAPPED_FIELDS)[number], string>> = {
  title: 'body.alert.title',
  service: 'body.tags.service',
  severity: 'body.priority > 2 ? "critical" : "warning"',
  key: 'body.alert.id',
  state: 'body.alert.state',
  link: 'body.alert.url',
};

/** The form of a mapping with a live preview on the last payloads. It works without scripts too, by its buttons. */
export function MappingForm({ session, integration, mapping, fault, previews, isSuggested = false }: MappingFormView) {
  const action = `${integrationUrl(integration.id)}/mapping`;
  return (
    <section class="box" aria-labelledby="mapping" id="mapping-section">
      <h2 id="mapping">Mapping</h2>
      <p>
        Each field is an expression in <a href="https://cel.dev">CEL</a> over <code>body</code>, the JSON that was sent.
        {isSuggested && ' These were found by the names of fields in the last payload: check them, then save.'}
      </p>
      <form class="stack" method="post" action={action}>
        <CsrfField session={session} />
        {MAPPED_FIELDS.map((field) => (
          <label>
            {LABELS[field]}
            <input
              name={field}
              value={mapping[field] ?? ''}
              required={field === 'title'}
              maxlength={500}
              autocomplete="off"
              spellcheck={false}
              placeholder={EXAMPLES[field]}
              hx-post={`${action}/preview`}
              hx-trigger="input changed delay:400ms"
              hx-include="closest form"
              hx-target="#mapping-preview"
              hx-select="#mapping-preview"
              hx-swap="outerHTML"
            />
          </label>
        ))}
        <MappingPreviews fault={fault} previews={previews} />
        <div class="buttons">
          <button type="submit">Save the mapping</button>
          <button type="submit" formaction={`${action}/preview`}>
            Preview
          </button>
        </div>
      </form>
    </section>
  );
}

function MappingPreviews({ fault, previews }: Pick<MappingFormView, 'fault' | 'previews'>) {
  return (
    <div id="mapping-preview" role="status">
      <Fault text={fault} />
      {previews.length === 0 && (
        <p class="quiet">Nothing was sent yet. Send something, then see here what it becomes.</p>
      )}
      {previews.map(({ payload, mapped }, index) => (
        <details open={index === 0}>
          <summary>
            {mapped?.title == null ? <span class="alarm">no title</span> : <Foreign>{mapped.title}</Foreign>}
          </summary>
          {mapped !== null && (
            <dl class="facts">
              {MAPPED_FIELDS.map((field) => (
                <>
                  <dt>{field}</dt>
                  <dd>
                    {mapped[field] == null ? <span class="quiet">nothing</span> : <Foreign>{mapped[field]}</Foreign>}
                  </dd>
                </>
              ))}
            </dl>
          )}
          <pre class="body">
            <Foreign>{payload}</Foreign>
          </pre>
        </details>
      ))}
    </div>
  );
}
