/**
 * How the values of a property are stored:
 *
 * - `number`: 8 bytes each
 * - `flag`: a boolean
 * - `word`: text that repeats; null and absent are told apart
 * - `id`: hex digits of one length, or null
 * - `json`: anything else that repeats
 */
type ColumnKind = 'number' | 'flag' | 'word' | 'id' | 'json';

/** A column for each property of an item. */
export type Columns<Item> = { readonly [Key in keyof Required<Item>]: ColumnKind };

type Row = Readonly<Record<string, unknown>>;

const ABSENT = 0;
const NULL = 1;
/** Index of the first word. */
const WORDS = 2;

export interface ColumnWriter {
  add<Item extends object>(items: readonly Item[], columns: { readonly [key: string]: ColumnKind }): void;
  /** The words of all columns; the reader needs them. */
  words(): readonly string[];
  chunks(): readonly Buffer[];
}

export function createColumnWriter(): ColumnWriter {
  const indexes = new Map<string, number>();
  const chunks: Buffer[] = [];

  function indexOf(value: string | null | undefined): number {
    if (value === undefined || value === null) {
      return value === null ? NULL : ABSENT;
    }
    const known = indexes.get(value);
    if (known !== undefined) {
      return known;
    }
    const index = indexes.size + WORDS;
    indexes.set(value, index);
    return index;
  }

  function addWords(rows: readonly Row[], textOf: (row: Row) => string | null | undefined): void {
    const values = new Uint32Array(rows.length);
    let place = 0;
    for (const row of rows) {
      values[place++] = indexOf(textOf(row));
    }
    chunks.push(bytesOf(values));
  }

  /** The first byte is the number of hex digits; 0: the ids are stored as words. */
  function addIds(rows: readonly Row[], key: string): void {
    const first = rows.find((row) => row[key] !== null)?.[key];
    const digits = typeof first === 'string' ? first.length : 0;
    const packed = digits > 0 && digits % 2 === 0 && digits < 256 ? pack(rows, key, digits) : null;
    if (packed === null) {
      chunks.push(Buffer.from([0]));
      addWords(rows, (row) => row[key] as string | null); // a column of ids
      return;
    }
    chunks.push(Buffer.from([digits]), ...packed);
  }

  return {
    add(items, columns) {
      const rows = items as readonly Row[]; // by key, as the columns name them
      for (const [key, kind] of rows.length === 0 ? [] : Object.entries(columns)) {
        switch (kind) {
          case 'number':
            chunks.push(bytesOf(Float64Array.from(rows, (row) => row[key] as number)));
            break;
          case 'flag':
            chunks.push(bytesOf(Uint8Array.from(rows, (row) => (row[key] === true ? 1 : 0))));
            break;
          case 'word':
            addWords(rows, (row) => row[key] as string | null | undefined);
            break;
          case 'id':
            addIds(rows, key);
            break;
          case 'json':
            addWords(rows, jsonOf(key));
            break;
        }
      }
    },
    words: () => [...indexes.keys()],
    chunks: () => chunks,
  };
}

/** Many rows in a row share one object, which is written once. */
function jsonOf(key: string): (row: Row) => string | undefined {
  let last: unknown;
  let text: string | undefined;
  return ({ [key]: value }) => {
    text = value === last ? text : JSON.stringify(value);
    last = value;
    return text;
  };
}

/** @returns a flag per null id, and the other ids as bytes; null: not all ids are hex digits of that length */
function pack(rows: readonly Row[], key: string, digits: number): readonly [Buffer, Buffer] | null {
  const size = digits / 2;
  const nulls = Buffer.alloc(rows.length);
  const ids = Buffer.alloc(rows.length * size);
  let place = 0;
  for (const row of rows) {
    const id = row[key];
    if (typeof id !== 'string') {
      nulls[place] = 1;
    } else if (id.length !== digits || ids.write(id, place * size, size, 'hex') !== size || HAS_CAPITALS.test(id)) {
      return null;
    }
    place += 1;
  }
  return [nulls, ids];
}

/** Capitals would be read back in lower case, so such ids are stored as words. */
const HAS_CAPITALS = /[A-F]/;

export interface ColumnReader {
  /** Reads the columns that were added next. */
  read(rows: number, columns: { readonly [key: string]: ColumnKind }, kind: string): object[];
  /** Reads more columns of rows that were read. */
  readMore(rows: readonly object[], columns: { readonly [key: string]: ColumnKind }): void;
}

export function createColumnReader(bytes: Buffer, words: readonly string[]): ColumnReader {
  let offset = 0;

  function take(length: number): Buffer {
    if (offset + length > bytes.length) {
      throw new Error('an entry of the log is cut off');
    }
    offset += length;
    return bytes.subarray(offset - length, offset);
  }

  /** Typed arrays need an aligned start. */
  const aligned = (length: number): ArrayBuffer => Uint8Array.from(take(length)).buffer;

  function fillWords(rows: readonly Record<string, unknown>[], key: string, parse: (word: string) => unknown): void {
    const indexes = new Uint32Array(aligned(rows.length * 4));
    for (const [place, row] of rows.entries()) {
      const index = indexes[place] ?? ABSENT;
      if (index !== ABSENT) {
        row[key] = index === NULL ? null : parse(words[index - WORDS] ?? '');
      }
    }
  }

  /** Equal values become one object. */
  function fillJson(rows: readonly Record<string, unknown>[], key: string): void {
    const parsed = new Map<string, unknown>();
    fillWords(rows, key, (word) => {
      const known = parsed.get(word);
      const value: unknown = known === undefined ? JSON.parse(word) : known;
      parsed.set(word, value);
      return value;
    });
  }

  function fillIds(rows: readonly Record<string, unknown>[], key: string): void {
    const digits = take(1)[0] ?? 0;
    if (digits === 0) {
      fillWords(rows, key, (word) => word);
      return;
    }
    const nulls = take(rows.length);
    const size = digits / 2;
    const ids = take(rows.length * size);
    for (const [place, row] of rows.entries()) {
      row[key] = nulls[place] === 1 ? null : ids.toString('hex', place * size, (place + 1) * size);
    }
  }

  function fill(rows: readonly Record<string, unknown>[], columns: { readonly [key: string]: ColumnKind }): void {
    for (const [key, column] of rows.length === 0 ? [] : Object.entries(columns)) {
      switch (column) {
        case 'number': {
          const values = new Float64Array(aligned(rows.length * 8));
          for (const [place, row] of rows.entries()) {
            row[key] = values[place];
          }
          break;
        }
        case 'flag': {
          const values = take(rows.length);
          for (const [place, row] of rows.entries()) {
            row[key] = values[place] === 1;
          }
          break;
        }
        case 'word':
          fillWords(rows, key, (word) => word);
          break;
        case 'id':
          fillIds(rows, key);
          break;
        case 'json':
          fillJson(rows, key);
          break;
      }
    }
  }

  return {
    read(count, columns, kind) {
      const rows: Record<string, unknown>[] = Array.from({ length: count }, () => ({ kind }));
      fill(rows, columns);
      return rows;
    },
    readMore: (rows, columns) => fill(rows as readonly Record<string, unknown>[], columns), // made by `read`
  };
}

function bytesOf(values: Uint32Array | Float64Array | Uint8Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}
