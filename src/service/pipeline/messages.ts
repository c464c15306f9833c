import type { DatabaseSource } from '../../database/database.ts';
import type { PipelineEvents, StepReport } from './pipeline-events.ts';

/** Data that the main thread passes to the thread that correlates. */
export interface ThreadData {
  readonly source: DatabaseSource;
  /** See `openLog`. */
  readonly natsUrl: string | null;
  /** Holder of the lease. */
  readonly process: string;
  readonly isFirstStart: boolean;
  readonly logLevel: string;
  /** See `createProgress`. */
  readonly memory: SharedArrayBuffer;
}

export type ToThread = 'kick' | 'stop';

export type FromThread =
  | { readonly kind: 'alive' }
  | { readonly kind: 'stepped'; readonly report: StepReport }
  | { readonly kind: 'setAside'; readonly cause: Parameters<PipelineEvents['setAside']>[0] }
  | { readonly kind: 'snapshotTaken'; readonly bytes: number }
  /** A line of JSON. */
  | { readonly kind: 'log'; readonly line: string };
