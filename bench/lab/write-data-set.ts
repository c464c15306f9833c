import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Row } from '../correlation/rows.ts';
import type { LabCase } from './worlds.ts';

/** Writes a generated system as a data set that `npm run bench:correlation -- <folder>` reads. */
export async function writeDataSet(lab: LabCase, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { rows, labels } = lab.run();
  await writeRows(join(folder, 'stream.ndjson.gz'), rows);
  await writeRows(join(folder, 'baseline.ndjson.gz'), lab.baseline());
  await writeFile(join(folder, 'labels.json'), `${JSON.stringify(labels(), null, 1)}\n`);
}

function writeRows(file: string, rows: Iterable<Row>): Promise<void> {
  return pipeline(Readable.from(linesOf(rows)), createGzip(), createWriteStream(file));
}

const ROWS_PER_CHUNK = 500;

function* linesOf(rows: Iterable<Row>): Generator<string> {
  let chunk: string[] = [];
  let number = 0;
  for (const row of rows) {
    number += 1;
    chunk.push(`${JSON.stringify({ id: number, ...row })}\n`);
    if (chunk.length === ROWS_PER_CHUNK) {
      yield chunk.join('');
      chunk = [];
    }
  }
  yield chunk.join('');
}
