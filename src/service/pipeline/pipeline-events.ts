import type { OpenedIncidents } from './write-incidents.ts';

/** Report of one step of one partition, for metrics. */
export interface StepReport {
  readonly opened: OpenedIncidents;
  /** Items of telemetry. */
  readonly items: number;
  /** Processor time of the engine. */
  readonly cpuMs: number;
  /** From the reading of the log until everything was stored. */
  readonly durationMs: number;
  /** Age of the telemetry that was read last, while more waits, in the partition that is furthest behind; 0: nothing waits. */
  readonly lagMs: number;
}

/** Events of correlation, for metrics. */
export interface PipelineEvents {
  /** A step of each partition went through, whether or not there was something to do. */
  alive(): void;
  stepped(report: StepReport): void;
  /** An entry, a report or an update was set aside, see `SetAside`. */
  setAside(cause: string): void;
  snapshotTaken(bytes: number): void;
}
