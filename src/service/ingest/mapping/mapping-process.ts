import type { Mapping } from '../../../contract/integrations.ts';
import { compileMapping, type Mapped } from './mapping.ts';

/** Asks for the events of the bodies of one request. */
export interface MappingTask {
  readonly mapping: Mapping;
  readonly bodies: readonly unknown[];
}

/** The events of each body. */
export type MappedBodies = readonly (readonly Mapped[])[];

export type MappingAnswer = MappedBodies | 'ready';

/** Compiled mappings are kept, since an integration sends many requests with one. */
let last: { readonly text: string; readonly map: (body: unknown) => Mapped[] } | null = null;

process.on('message', ({ mapping, bodies }: MappingTask) => {
  const text = JSON.stringify(mapping);
  last = last?.text === text ? last : { text, map: compileMapping(mapping) };
  process.send?.(bodies.map(last.map) satisfies MappingAnswer);
});

process.send?.('ready' satisfies MappingAnswer);
