import type { Context, Hono } from 'hono';
import { Mapping } from '../../../contract/integrations.ts';
import type { Integration } from '../../core/integration.ts';
import { actorOf } from '../../core/session.ts';
import { describeExpressionFault, MAPPED_FIELDS } from '../../ingest/mapping.ts';
import { MappingTooCostlyError } from '../../ingest/mapping-runner.ts';
import { suggestMapping } from '../../ingest/suggest-mapping.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { demandRole } from '../session/guard.ts';
import type { renderIntegrationPage } from './integration-page.tsx';
import type { IntegrationsDeps } from './integrations-routes.ts';
import type { MappingPreview, MappingTexts } from './mapping-form.tsx';

/** What the page of an integration shows of its mapping. */
export interface MappingState {
  readonly mapping: MappingTexts;
  readonly fault: string | null;
  readonly previews: readonly MappingPreview[];
  /** Nobody has written it: it was found by the names of fields in the last payload. */
  readonly isSuggested?: boolean;
}

interface Reading {
  readonly read: (c: Context<DashboardEnv>) => Promise<Integration>;
  /** Renders the page of the integration. */
  readonly show: (
    c: Context<DashboardEnv>,
    integration: Integration,
    mapping: MappingState,
  ) => Promise<ReturnType<typeof renderIntegrationPage>>;
}

/** Preview and save. A mapping is saved only if it finds a title in every payload that is kept. */
export function bindMapping(dashboard: Hono<DashboardEnv>, path: string, deps: IntegrationsDeps, pages: Reading): void {
  const given = async (c: Context<DashboardEnv>) => {
    demandRole(c, 'admin');
    const integration = await pages.read(c);
    if (integration.type !== 'json') {
      throw new PageError(404, 'There is no mapping', 'Only integrations of type “Any JSON” have one.');
    }
    const state = await tryMapping(deps, integration.id, toTexts(await c.req.parseBody()));
    return { integration, state };
  };

  dashboard.post(`${path}/mapping/preview`, async (c) => {
    const { integration, state } = await given(c);
    return c.html(await pages.show(c, integration, state));
  });

  dashboard.post(`${path}/mapping`, async (c) => {
    const { integration, state } = await given(c);
    const unread = state.previews.findIndex(({ mapped }) => mapped?.title == null);
    const fault = state.fault ?? (unread === -1 ? null : 'The mapping finds no title in a payload that was sent.');
    if (fault !== null) {
      return c.html(await pages.show(c, integration, { ...state, fault }), 422);
    }
    const session = c.get('session');
    const mapping = Mapping.parse(state.mapping);
    await deps.integrations.setMapping(integration.id, mapping, deps.now(), actorOf(session));
    deps.logger.info({ integrationId: integration.id, sessionId: session.id }, 'mapping changed');
    return c.redirect(`/dashboard/settings/integrations/${integration.id}`, 303);
  });
}

/** The mapping of an integration as it is saved, or else a suggestion, on what was sent. */
export async function currentMapping(deps: IntegrationsDeps, { id, config }: Integration): Promise<MappingState> {
  const { data } = Mapping.safeParse(config.mapping);
  if (data !== undefined) {
    return tryMapping(deps, id, data);
  }
  const previews = await readKept(deps, id);
  const [newest] = previews;
  const mapping = newest === undefined ? {} : suggestMapping(firstEvent(JSON.parse(newest.payload)));
  return mapping.title === undefined
    ? { mapping, fault: null, previews }
    : { ...(await tryMapping(deps, id, mapping)), isSuggested: true };
}

async function tryMapping(deps: IntegrationsDeps, id: string, mapping: MappingTexts): Promise<MappingState> {
  const kept = await readKept(deps, id);
  const parsed = Mapping.safeParse(mapping);
  const fault = parsed.success ? describeFault(parsed.data) : 'A mapping needs a title, of at most 500 characters.';
  if (!parsed.success || fault !== null) {
    return { mapping, fault, previews: kept };
  }
  const events = kept.map(({ payload }) => firstEvent(JSON.parse(payload)));
  try {
    const mapped = await deps.mappings.run(parsed.data, events);
    return { mapping, fault: null, previews: kept.map((each, index) => ({ ...each, mapped: mapped[index] ?? null })) };
  } catch (error) {
    if (error instanceof MappingTooCostlyError) {
      return { mapping, fault: `${error.message}.`, previews: kept };
    }
    throw error;
  }
}

function describeFault(mapping: Mapping): string | null {
  for (const field of MAPPED_FIELDS) {
    const fault = mapping[field] === undefined ? null : describeExpressionFault(mapping[field]);
    if (fault !== null) {
      return `${field}: ${fault}`;
    }
  }
  return null;
}

/** The payloads that are whole and JSON, newest first. */
async function readKept({ refusedPayloads }: IntegrationsDeps, id: string): Promise<MappingPreview[]> {
  const payloads = await refusedPayloads.list(id);
  return payloads.flatMap(({ text }) => (text !== null && isJson(text) ? [{ payload: text, mapped: null }] : []));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A list has several events; the first shows what the mapping does. */
function firstEvent(body: unknown): unknown {
  return Array.isArray(body) ? body[0] : body;
}

function toTexts(form: Readonly<Record<string, unknown>>): MappingTexts {
  const texts = MAPPED_FIELDS.flatMap((field) => {
    const text = form[field];
    return typeof text === 'string' && text.trim() !== '' ? [[field, text.trim()] as const] : [];
  });
  return Object.fromEntries(texts);
}
