import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { Mapping } from '../../../contract/integrations.ts';
import type { Snippet } from '../../core/snippet.ts';
import type { Address } from '../formats/format.ts';

const Sample = z.record(z.string(), z.unknown());

/** How a product's payloads are read, with samples of them. Files of this folder. */
const PresetFile = z.strictObject({
  name: z.string(),
  /** Where the fields are documented. */
  docs: z.string(),
  /** What people paste at the product, if it needs more than the address; with `<INGEST_URL>` and `<INGEST_KEY>`. */
  set_up: z.array(z.strictObject({ title: z.string(), text: z.string() })).default([]),
  mapping: z.strictObject(Mapping.shape),
  /** Written by hand from the documents. Those below say only what differs from it. */
  failure: Sample,
  /** null: the product reports no end. */
  end: Sample.nullable(),
  another: Sample,
  /** Absent: the product does not tell, or nobody acknowledges there. */
  acknowledgement: Sample.optional(),
  /** Somebody writes a note to the failure at the product. */
  note: Sample.optional(),
});

export interface Preset extends z.infer<typeof PresetFile> {
  /** The name of its file. */
  readonly id: string;
}

const FOLDER = new URL('./', import.meta.url);

/** By name. */
export const PRESETS: readonly Preset[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => readPreset(file))
  .toSorted((one, other) => one.name.localeCompare(other.name));

/** @throws if there is none */
export function getPreset(id: string): Preset {
  const preset = findPreset(id);
  if (preset === null) {
    throw new Error(`no preset ${id}`);
  }
  return preset;
}

export function findPreset(id: string): Preset | null {
  return PRESETS.find((preset) => preset.id === id) ?? null;
}

/** What people paste at the product. */
export function setUpOf({ set_up }: Preset, { url, key }: Pick<Address, 'url' | 'key'>): Snippet[] {
  return set_up.map(({ title, text }) => ({
    title,
    text: text.replaceAll('<INGEST_URL>', url).replaceAll('<INGEST_KEY>', key),
  }));
}

function readPreset(file: string): Preset {
  const { data, error } = PresetFile.safeParse(parse(readFileSync(new URL(file, FOLDER), 'utf8')));
  if (error !== undefined) {
    throw new Error(`the preset ${file} is invalid: ${z.prettifyError(error)}`);
  }
  return { ...data, id: file.replace('.yaml', '') };
}

/** A sample that says only what differs from another. Lists are replaced, objects are not. */
export function withDifference(sample: unknown, difference: unknown): unknown {
  if (!isObject(sample) || !isObject(difference)) {
    return difference;
  }
  const changed = Object.entries(difference).map(([name, value]) => [name, withDifference(sample[name], value)]);
  return { ...sample, ...Object.fromEntries(changed) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
