import { fingerprint } from './text.ts';

/** An alert as Prometheus posts it, again and again while it fires. */
export interface PostedAlert {
  /** Equal for equal labels. */
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: Date;
  /** Over when it is past. While the alert fires, each post moves it ahead. */
  readonly endsAt: Date;
  readonly generatorUrl: string | null;
}

/** The fingerprint of its signal. */
export function signalOfPosted({ fingerprint: ofLabels }: Pick<PostedAlert, 'fingerprint'>): string {
  return fingerprint('alert', ofLabels);
}
