import type { IncomingType } from '../../src/contract/integrations.ts';
import type { MappedReading } from '../../src/service/ingest/mapping/mapped-event.ts';
import { readMappedEvent } from '../../src/service/ingest/mapping/mapped-event.ts';
import { compileMapping } from '../../src/service/ingest/mapping/mapping.ts';
import { getPreset } from '../../src/service/ingest/presets/presets.ts';

/** What a preset reads from a payload. */
export function readByPreset(id: string, payload: unknown, now: Date, type: IncomingType = 'json'): MappedReading[] {
  const { mapping } = getPreset(id);
  const bodies: unknown[] = [payload].flat();
  return bodies.flatMap((body) =>
    compileMapping(mapping)(body).map((mapped) =>
      readMappedEvent(mapped, mapped.event ?? body, { type, mapping, answers: {}, sender: 'int_1' }, now),
    ),
  );
}
