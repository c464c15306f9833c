import type { Context, Hono } from 'hono';
import type { HtmlEscapedString } from 'hono/utils/html';
import { Mapping, StateAnswers, StateMeaning } from '../../../contract/integrations.ts';
import type { Integration } from '../../core/integration.ts';
import { actorOf } from '../../core/session.ts';
import { type MappedFormat, readMappedEvent } from '../../ingest/mapping/mapped-event.ts';
import { FURTHER_FIELDS, findMappingFault, MAPPED_FIELDS } from '../../ingest/mapping/mapping.ts';
import { MappingTooCostlyError } from '../../ingest/mapping/mapping-runner.ts';
import { isBetterStory, type StoryLine, tellStory } from '../../ingest/mapping/story.ts';
import { type SuggestedEnd, suggestEnds, withBetterParts } from '../../ingest/mapping/suggest-mapping.ts';
import { findPreset } from '../../ingest/presets/presets.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { demandRole } from '../session/guard.ts';
import type { IntegrationsDeps } from './integrations-deps.ts';
import { integrationUrl, nameOf } from './integrations-page.tsx';
import type { Better, MappingPreview, MappingState, MappingTexts } from './mapping-form.tsx';

interface Reading {
  readonly read: (c: Context<DashboardEnv>) => Promise<Integration>;
  /** Renders the page of the integration. */
  readonly show: (
    c: Context<DashboardEnv>,
    integration: Integration,
    mapping: MappingState,
  ) => Promise<HtmlEscapedString>;
}

/** Preview and save. A mapping is saved only if it reads every payload that is kept. */
export function bindMapping(dashboard: Hono<DashboardEnv>, path: string, deps: IntegrationsDeps, pages: Reading): void {
  const readMapped = async (c: Context<DashboardEnv>) => {
    demandRole(c, 'admin');
    const integration = await pages.read(c);
    if (integration.type !== 'json') {
      throw new PageError(404, 'There is no mapping', 'Only integrations of type “Any JSON” have one.');
    }
    return integration;
  };
  const given = async (c: Context<DashboardEnv>) => {
    const integration = await readMapped(c);
    const form = await c.req.parseBody();
    return { integration, state: await tryMapping(deps, integration, toTexts(form), toStates(form)) };
  };

  dashboard.post(`${path}/mapping/preview`, async (c) => {
    const { integration, state } = await given(c);
    return c.html(await pages.show(c, integration, state));
  });

  dashboard.post(`${path}/mapping/preset`, async (c) => {
    const integration = await readMapped(c);
    const { preset } = await c.req.parseBody();
    const found = typeof preset === 'string' ? findPreset(preset) : null;
    const state =
      found === null ? await currentMapping(deps, integration) : await tryMapping(deps, integration, found.mapping);
    return c.html(await pages.show(c, integration, state));
  });

  dashboard.post(`${path}/mapping`, async (c) => {
    const { integration, state } = await given(c);
    const isUnread = state.previews.some(({ lines }) => lines.some(({ does }) => does === 'is refused'));
    const fault = state.fault ?? (isUnread ? 'The mapping finds no title in a payload that was sent.' : null);
    if (fault !== null) {
      return c.html(await pages.show(c, integration, { ...state, fault }), 422);
    }
    const session = c.get('session');
    const mapping = Mapping.parse(state.mapping);
    const states = StateAnswers.parse(state.states ?? {});
    await deps.integrations.setMapping(integration.id, mapping, states, deps.now(), actorOf(session));
    for (const [word, meaning] of Object.entries(states)) {
      await deps.answerState({ id: integration.id, name: nameOf(integration) }, { word, meaning }, actorOf(session));
    }
    deps.logger.info({ integrationId: integration.id, sessionId: session.id }, 'mapping changed');
    return c.redirect(integrationUrl(integration.id), 303);
  });

  dashboard.post(`${path}/states`, async (c) => {
    demandRole(c, 'admin');
    const integration = await pages.read(c);
    const { word, meaning } = await c.req.parseBody();
    const answer = StateMeaning.safeParse(meaning);
    if (!answer.success || typeof word !== 'string' || word === '') {
      throw new PageError(422, 'Not answered', 'Say what the word means.');
    }
    const session = c.get('session');
    await deps.answerState(
      { id: integration.id, name: nameOf(integration) },
      { word, meaning: answer.data },
      actorOf(session),
    );
    deps.logger.info({ integrationId: integration.id, sessionId: session.id }, 'state explained');
    return c.redirect(integrationUrl(integration.id), 303);
  });
}

/** The mapping of an integration as it is saved, or else a suggestion, on what was sent. */
export async function currentMapping(deps: IntegrationsDeps, integration: Integration): Promise<MappingState> {
  const { data } = Mapping.safeParse(integration.config.mapping);
  const answers = StateAnswers.safeParse(integration.config.states).data ?? {};
  const kept = await readKept(deps, integration.id);
  const [found, ...ifEnds] = suggestEnds(kept.map(({ payload }) => JSON.parse(payload)).toReversed(), answers);
  const { mapping, states, remarks, unclear } = found;
  if (data !== undefined) {
    const saved = await tryMapping(deps, integration, data);
    const betters = await findBetters(deps, integration, data, saved, [found, ...ifEnds]);
    return { ...saved, betters, remarks: endsAny(saved) || saved.fault !== null ? [] : [NO_END] };
  }
  return mapping.title === undefined
    ? { mapping, fault: null, previews: kept }
    : { ...(await tryMapping(deps, integration, mapping, states)), isSuggested: true, remarks, unclear };
}

const NO_END = 'Nothing that was sent and is shown here has ended a failure so far.';

function storyOf({ previews }: MappingState): StoryLine[] {
  return previews.flatMap(({ lines }) => lines);
}

function endsAny(state: MappingState): boolean {
  return state.previews.length === 0 || storyOf(state).some(({ does }) => does === 'ends');
}

/** The same mapping with what tells failures apart as it is suggested, where with it less is lost or more is ended. */
async function findBetters(
  deps: IntegrationsDeps,
  integration: Integration,
  data: Mapping,
  saved: MappingState,
  suggested: readonly SuggestedEnd[],
): Promise<Better[]> {
  const betters: Better[] = [];
  for (const { mapping: found, states, end } of suggested) {
    const mapping = withBetterParts(data, found);
    const isSame = JSON.stringify(mapping) === JSON.stringify(data);
    if (!isSame && isBetterStory(storyOf(await tryMapping(deps, integration, mapping, states)), storyOf(saved))) {
      betters.push({ mapping, states, end });
    }
  }
  return betters;
}

async function tryMapping(
  deps: IntegrationsDeps,
  integration: Pick<Integration, 'id' | 'config'>,
  mapping: MappingTexts,
  states: StateAnswers = {},
): Promise<MappingState> {
  const kept = await readKept(deps, integration.id);
  const parsed = Mapping.safeParse(mapping);
  const invalid = parsed.success ? findMappingFault(parsed.data) : null;
  const fault = parsed.success
    ? invalid && `${invalid.field}: ${invalid.detail}`
    : 'A mapping needs a title, of at most 1,000 characters.';
  if (!parsed.success || fault !== null) {
    return { mapping, states, fault, previews: kept };
  }
  try {
    const previews = await previewOf(deps, integration, parsed.data, states, kept);
    return { mapping, states, fault: null, previews };
  } catch (error) {
    if (error instanceof MappingTooCostlyError) {
      return { mapping, states, fault: `${error.message}.`, previews: kept };
    }
    throw error;
  }
}

/** What each kept payload would do, one after the other. */
async function previewOf(
  { mappings, now }: IntegrationsDeps,
  { id, config }: Pick<Integration, 'id' | 'config'>,
  mapping: Mapping,
  states: StateAnswers,
  kept: readonly MappingPreview[],
): Promise<MappingPreview[]> {
  const answers = { ...StateAnswers.safeParse(config.states).data, ...states };
  const format: MappedFormat = { type: 'json', mapping, answers, sender: id };
  const oldest = kept.toReversed();
  const events = oldest.map(({ payload }): unknown[] => [JSON.parse(payload)].flat());
  const mapped = await mappings.run(mapping, events.flat());
  let [next, told] = [0, 0];
  const all = events.map((bodies) =>
    bodies.flatMap((body) =>
      (mapped[next++] ?? []).map((event) => ({
        event,
        reading: readMappedEvent(event, event.event ?? body, format, now()),
      })),
    ),
  );
  const lines = tellStory(all.flat().map(({ reading }) => reading));
  const previews = oldest.map((preview, at): MappingPreview => {
    const read = all[at] ?? [];
    const own = lines.slice(told, told + read.length);
    told += read.length;
    return { ...preview, mapped: read[0]?.event ?? null, lines: own.length === 0 ? [NO_EVENT] : own };
  });
  return previews.toReversed();
}

const NO_EVENT: StoryLine = { text: 'is refused: it has no event', isDoubtful: true, does: 'is refused' };

/** The payloads that are whole and JSON, newest first. */
async function readKept({ refusedPayloads }: IntegrationsDeps, id: string): Promise<MappingPreview[]> {
  const payloads = await refusedPayloads.list(id);
  return payloads.flatMap(({ text, kind, outcome = null }) =>
    kind !== 'unkept' && text !== null && isJson(text) ? [{ payload: text, outcome, mapped: null, lines: [] }] : [],
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fields `state:quenched` with what the word means. */
function toStates(form: Readonly<Record<string, unknown>>): StateAnswers {
  const states = Object.entries(form).flatMap(([field, value]) => {
    const [, word] = /^state:(.+)$/s.exec(field) ?? [];
    const { data } = StateMeaning.safeParse(value);
    return word === undefined || data === undefined ? [] : [[word, data] as const];
  });
  return Object.fromEntries(states);
}

function toTexts(form: Readonly<Record<string, unknown>>): MappingTexts {
  const texts = [...MAPPED_FIELDS, ...FURTHER_FIELDS].flatMap((field) => {
    const text = form[field];
    return typeof text === 'string' && text.trim() !== '' ? [[field, text.replaceAll('\r', '').trim()] as const] : [];
  });
  return Object.fromEntries(texts);
}
