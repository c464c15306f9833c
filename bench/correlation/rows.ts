import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** One line of a data set, as the data set writes it. */
export interface Row {
  readonly kind: 'trace' | 'metric' | 'log' | 'change';
  readonly service: string;
  /** When it began, by the clock of the service. */
  readonly timestamp: string;
  /** When it reached Tocsin. Absent: at `timestamp`. */
  readonly received_at?: string;
  readonly name?: string;
  readonly value?: number;
  readonly duration_ms?: number;
  readonly message?: string;
  readonly status?: string;
  readonly severity?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly parent_span_id?: string | null;
  readonly peer_service?: string;
  readonly instance?: string;
  /** Absent: the sender does not tell. */
  readonly span_kind?: 'server' | 'client' | 'internal';
  /** Of a metric by its OpenTelemetry name: `histogram` is a mean, `sum` an increase. Absent: a name of the recordings. */
  readonly form?: 'gauge' | 'sum' | 'histogram';
  readonly unit?: string;
  readonly anomaly_score?: number;
  readonly direction?: 'up' | 'down';
  readonly case_number?: number;
}

export type Rows = AsyncIterable<Row> | Iterable<Row>;

export async function* readRows(file: string): AsyncGenerator<Row> {
  const lines = createInterface({
    input: createReadStream(file).pipe(createGunzip()),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    if (line !== '') {
      yield JSON.parse(line) as Row;
    }
  }
}

/** The case of a data set: one fault with its true root. */
export interface Label {
  readonly case: string;
  readonly root_service: string;
  /** The one bad instance of the root. Absent: all are, or nobody knows. */
  readonly root_instance?: string;
  readonly fault: string;
  readonly inject_at?: string;
  readonly from?: string;
  readonly to?: string;
  /** When the fault ended. Absent: nobody wrote it down. */
  readonly end_at?: string;
  /** Places from the root to an entry. */
  readonly path?: readonly string[];
  /** Whether requests failed or became slow by it. Absent: taken to be so. */
  readonly is_harmful?: boolean;
  /** Requests that failed or became slow by it and are in the telemetry. Absent: nobody knows. */
  readonly harmed_in_telemetry?: number;
  /** How it lies to others in time. */
  readonly arrangement?: string;
  readonly case_number?: number;
  readonly signals_file?: string;
  readonly before_file?: string;
  readonly baseline_file?: string;
  readonly graph_file?: string;
  readonly alerting_service?: string;
  readonly candidates?: readonly string[];
}
