import type { Decode } from '../ingest/incoming-bodies.ts';
import type { SignatureScheme } from '../ingest/signature-scheme.ts';
import type { Received } from './take-entries.ts';

/** How one type of integration sends signals. */
export interface IngestFormat {
  readonly operationId: string;
  readonly summary: string;
  /** The request's content in OpenAPI. */
  readonly content: Readonly<Record<string, object>>;
  readonly maxBytes: number;
  /** @throws {RequestError} also from the steps */
  readonly decode: (headers: Headers, now: Date) => Decode<Received>;
  /** How its sender signs bodies; absent: it does not. */
  readonly signature?: SignatureScheme;
}
