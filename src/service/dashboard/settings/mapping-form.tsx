import type { Mapping, StateAnswers, StateMeaning } from '../../../contract/integrations.ts';
import type { Integration } from '../../core/integration.ts';
import { FURTHER_FIELDS, MAPPED_FIELDS, type Mapped, type MappingField } from '../../ingest/mapping/mapping.ts';
import type { StoryLine } from '../../ingest/mapping/story.ts';
import { PRESETS } from '../../ingest/presets/presets.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Fault } from '../parts/fault.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Select } from '../parts/form.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { integrationUrl } from './integrations-page.tsx';

export type MappingTexts = Readonly<Partial<Record<MappingField, string | undefined>>>;

/** What a mapping reads from one kept payload. */
export interface MappingPreview {
  /** JSON, masked. */
  readonly payload: string;
  /** What people should know of what became of it when it came; null: nothing. */
  readonly outcome: string | null;
  /** Of its first event; null: it was not read. */
  readonly mapped: Mapped | null;
  /** What each of its events would do. */
  readonly lines: readonly StoryLine[];
}

/** A mapping by which more of what was sent ends something, and what words of states mean. */
export interface Better {
  readonly mapping: Mapping;
  readonly states: StateAnswers;
  /** The word that has to be the end for it, which only people know; null: comparing has found it. */
  readonly end: string | null;
}

/** What the page of an integration shows of its mapping. */
export interface MappingState {
  readonly mapping: MappingTexts;
  readonly fault: string | null;
  /** The newest first. */
  readonly previews: readonly MappingPreview[];
  /** Nobody has written it: it was found by comparing what was sent. */
  readonly isSuggested?: boolean;
  /** What words of states mean, to be saved with the mapping. */
  readonly states?: StateAnswers;
  /** Words that people may explain before they come again. */
  readonly unclear?: readonly string[];
  /** What people should know about a suggestion. */
  readonly remarks?: readonly string[];
  readonly betters?: readonly Better[] | undefined;
}

interface MappingFormView extends MappingState {
  readonly session: DashboardSession;
  readonly integration: Integration;
}

const LABELS: Readonly<Record<MappingField, string>> = {
  title: 'Title (required)',
  service: 'Service',
  severity: 'Severity: critical, error, warning, info or P1 to P5',
  key: 'Key: equal in a failure and its end, different for other failures',
  state: 'State: resolved and the like end the failure, acknowledged acknowledges it',
  link: 'Link',
  user: 'Who acknowledged it or wrote the note',
  note: 'Note that somebody wrote, for the timeline of the incident',
  at: 'When it began',
  events: 'List of events, if a payload has several: the others then read event',
};

const EXAMPLES: Readonly<Record<MappingField, string>> = {
  title: 'body.alert.title',
  service: 'body.tags.service',
  severity: 'body.priority > 2 ? "critical" : "warning"',
  key: 'body.alert.id',
  state: 'body.alert.state',
  link: 'body.alert.url',
  user: 'body.user.name',
  note: 'body.comment.text',
  at: 'body.alert.started_at',
  events: 'body.alerts',
};

const MEANINGS: Readonly<Record<StateMeaning | 'unknown', string>> = {
  unknown: 'ask when it comes',
  fails: 'it fails',
  over: 'it is over',
  acknowledged: 'somebody has it',
  ignored: 'neither',
};

/** The form of a mapping with a live preview on the last payloads. It works without scripts too, by its buttons. */
export function MappingForm(view: MappingFormView) {
  const { session, integration, mapping, fault, previews, isSuggested = false, remarks = [], betters = [] } = view;
  const unclear = (view.unclear ?? []).map((word) => [word, 'unknown'] as const);
  const states = Object.entries({ ...Object.fromEntries(unclear), ...view.states });
  const action = `${integrationUrl(integration.id)}/mapping`;
  return (
    <section class="box" aria-labelledby="mapping" id="mapping-section">
      <h2 id="mapping">Mapping</h2>
      <p>
        Each field is an expression in <a href="https://cel.dev">CEL</a> over <code>body</code>, the JSON that was sent.
        Of several lines the first that gives something counts.
        {isSuggested && ' These were found by comparing what was sent: check them, then save.'}
      </p>
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li>
              <Foreign>{remark}</Foreign>
            </li>
          ))}
        </ul>
      )}
      {betters.map((better) => (
        <BetterForm session={session} action={action} better={better} mapping={mapping} />
      ))}
      <PresetForm session={session} action={`${action}/preset`} />
      <form class="stack" method="post" action={action}>
        <CsrfField session={session} />
        {MAPPED_FIELDS.map((field) => (
          <Expression field={field} mapping={mapping} action={action} />
        ))}
        {states.map(([word, meaning]) => (
          <Select
            label={`What “${word}” means`}
            name={`state:${word}`}
            value={meaning}
            options={Object.entries(MEANINGS)}
          />
        ))}
        <details open={FURTHER_FIELDS.some((field) => mapping[field] !== undefined)}>
          <summary>Acknowledgements, notes, times, lists</summary>
          {FURTHER_FIELDS.map((field) => (
            <Expression field={field} mapping={mapping} action={action} />
          ))}
        </details>
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

interface ExpressionView {
  readonly field: MappingField;
  readonly mapping: MappingTexts;
  readonly action: string;
}

function Expression({ field, mapping, action }: ExpressionView) {
  const text = mapping[field] ?? '';
  return (
    <label>
      {LABELS[field]}
      <textarea
        name={field}
        rows={text.split('\n').length}
        required={field === 'title'}
        maxlength={1_000}
        autocomplete="off"
        spellcheck={false}
        placeholder={EXAMPLES[field]}
        hx-post={`${action}/preview`}
        hx-trigger="input changed delay:400ms"
        hx-include="closest form"
        hx-target="#mapping-preview"
        hx-select="#mapping-preview"
        hx-swap="outerHTML"
      >
        {text}
      </textarea>
    </label>
  );
}

interface BetterView {
  readonly session: DashboardSession;
  readonly action: string;
  readonly better: Better;
  /** As it is saved. */
  readonly mapping: MappingTexts;
}

/** One click: the same mapping with what differs here. */
function BetterForm({ session, action, better, mapping }: BetterView) {
  const changed = changedBy(better, mapping);
  return (
    <form class="stack" method="post" action={action}>
      <CsrfField session={session} />
      <BetterFields better={better} />
      <p role="status">
        {better.end === null ? (
          <span class="alarm">Ends end nothing</span>
        ) : (
          <>
            If “<Foreign>{better.end}</Foreign>” is the end of a failure, <span class="alarm">ends end nothing</span>
          </>
        )}
        : with this they would end the failures that were sent before them:
      </p>
      <dl class="facts">
        {changed.map((field) => (
          <>
            <dt>{field}</dt>
            <dd>
              <code>
                <Foreign>{better.mapping[field] ?? ''}</Foreign>
              </code>
            </dd>
          </>
        ))}
      </dl>
      <div class="buttons">
        <button type="submit">
          {better.end === null ? `Use this ${changed.join(', ')}` : `Yes, “${better.end}” is the end: use this`}
        </button>
      </div>
    </form>
  );
}

/** The mapping and the words that are saved with it. */
export function BetterFields({ better: { mapping, states } }: { readonly better: Better }) {
  const words = Object.entries(states).map(([word, meaning]) => [`state:${word}`, meaning] as const);
  return (
    <>
      {[...Object.entries(mapping), ...words].map(([field, text]) => (
        <input type="hidden" name={field} value={text} />
      ))}
    </>
  );
}

export function changedBy(better: Better, mapping: MappingTexts): MappingField[] {
  return [...MAPPED_FIELDS, ...FURTHER_FIELDS].filter((field) => better.mapping[field] !== mapping[field]);
}

function PresetForm({ session, action }: { session: DashboardSession; action: string }) {
  return (
    <form class="row" method="post" action={action}>
      <CsrfField session={session} />
      <Select
        label="Begin with the mapping of a product"
        name="preset"
        value={undefined}
        options={PRESETS.map(({ id, name }) => [id, name] as const)}
      />
      <button type="submit">Show it here</button>
    </form>
  );
}

function MappingPreviews({ fault, previews }: Pick<MappingFormView, 'fault' | 'previews'>) {
  return (
    <div id="mapping-preview" role="status">
      <Fault text={fault} />
      {previews.length === 0 ? (
        <p class="quiet">Nothing was sent yet. Send something, then see here what it becomes.</p>
      ) : (
        <h3>What the last payloads do, the newest first</h3>
      )}
      {previews.map((preview, index) => (
        <details open={index === 0}>
          <summary>
            <Story {...preview} />
          </summary>
          {preview.mapped !== null && <Read mapped={preview.mapped} />}
          <pre class="body">
            <Foreign>{preview.payload}</Foreign>
          </pre>
        </details>
      ))}
    </div>
  );
}

function Story({ lines, outcome, mapped }: MappingPreview) {
  return (
    <>
      {mapped === null && lines.length === 0 && <span class="quiet">not read yet</span>}
      {lines.map(({ text, isDoubtful }, index) => (
        <>
          {index > 0 && <br />}
          <span class={isDoubtful ? 'alarm' : undefined}>
            <Foreign>{text}</Foreign>
          </span>
        </>
      ))}
      {outcome !== null && <span class="quiet"> (when it came, it {outcome})</span>}
    </>
  );
}

function Read({ mapped }: { readonly mapped: Mapped }) {
  const further = (['user', 'note', 'at'] as const).filter((field) => mapped[field] !== null);
  return (
    <dl class="facts">
      {[...MAPPED_FIELDS, ...further].map((field) => (
        <>
          <dt>{field}</dt>
          <dd>{mapped[field] === null ? <span class="quiet">nothing</span> : <Foreign>{mapped[field]}</Foreign>}</dd>
        </>
      ))}
    </dl>
  );
}
