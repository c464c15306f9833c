import type { Context } from 'hono';
import { z } from 'zod';
import type { PresetFormat } from '../ingest/formats/format.ts';
import { PRESET_FORMATS, type PresetType } from '../ingest/formats/formats.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../ingest/limits.ts';
import { compileMapping } from '../ingest/mapping/mapping.ts';
import { getPreset } from '../ingest/presets/presets.ts';
import type { ApiEnv } from './api-env.ts';
import { decodeJson, receiveJson, thenRead } from './ingest-body.ts';
import type { IngestFormat } from './ingest-format.ts';
import type { IngestRouteDeps } from './ingest-gates.ts';
import type { MappedRequest, TakeMapped } from './mapped-intake.ts';

interface PresetIngest extends Pick<IngestFormat, 'operationId' | 'summary' | 'content'> {
  readonly decode: (headers: Headers) => Decode<Pick<MappedRequest, 'mapping' | 'bodies'>>;
}

const Body = z.record(z.string(), z.unknown());

/** Products with a type of their own that are read by a preset. */
export const PRESET_INGEST: Readonly<Record<PresetType, PresetIngest>> = Object.fromEntries(
  Object.entries(PRESET_FORMATS).map(([type, { preset }]) => [type, toIngest(type, preset)]),
) as Readonly<Record<PresetType, PresetIngest>>; // what Object.entries gives

/** Expressions of presets are ours, so they need no process of their own. */
function toIngest(type: string, { operationId, what }: PresetFormat['preset']): PresetIngest {
  const { mapping } = getPreset(type);
  const read = compileMapping(mapping);
  return {
    operationId,
    summary: `Send ${what}`,
    content: { 'application/json': { schema: { type: 'object' } } },
    decode: (headers) =>
      thenRead(decodeJson(Body, headers), (body) => ({ mapping, bodies: [{ body, events: read(body) }] })),
  };
}

/** Receives what a product with a type of its own sends. @throws {RequestError} */
export async function receivePreset(
  type: PresetType,
  c: Context<ApiEnv>,
  { bodies, integrations }: IngestRouteDeps,
  take: TakeMapped,
): Promise<void> {
  const { id: sender, integrationId } = c.get('key');
  const limits = { sender, maxBytes: INGEST_LIMITS.eventsBytes };
  const body = await receiveJson(bodies, c.req.raw, limits, PRESET_INGEST[type].decode(c.req.raw.headers));
  const integration = integrationId === null ? null : await integrations.find(integrationId);
  await take(c, { type, integration, ...body });
}
