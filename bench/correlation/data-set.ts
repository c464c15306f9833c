import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Label } from './rows.ts';

export type Form = 'stream' | 'metric-cases' | 'judged-cases';

export interface DataSet {
  readonly folder: string;
  readonly form: Form;
  readonly labels: readonly Label[];
}

/** Reads the labels of a folder and tells its form by its files. */
export async function openDataSet(folder: string): Promise<DataSet> {
  const labels = JSON.parse(await readFile(join(folder, 'labels.json'), 'utf8')) as readonly Label[];
  return { folder, form: formOf(folder, labels), labels };
}

function formOf(folder: string, labels: readonly Label[]): Form {
  if (existsSync(join(folder, 'stream.ndjson.gz'))) {
    return 'stream';
  }
  return labels[0]?.signals_file === undefined ? 'judged-cases' : 'metric-cases';
}
