/** What an installation has that wakes people. */
interface Installation {
  /** PostgreSQL runs with the process, so there is one machine. */
  readonly isEmbedded: boolean;
  /** A monitor elsewhere is called while everything works. */
  readonly isWatched: boolean;
  readonly publicUrl: string;
}

/** Why an installation is no pager, in sentences; empty: nothing is known against it. */
export function whyNoPager({ isEmbedded, isWatched, publicUrl }: Installation): string[] {
  return [
    ...(isEmbedded
      ? ['One process with the embedded database wakes nobody while its machine sleeps, restarts or is lost.']
      : []),
    ...(isWatched ? [] : ['Nobody notices when it stops: HEARTBEAT_URL is not set.']),
    ...(publicUrl.startsWith('https:')
      ? []
      : ['Phones cannot be subscribed and links do not open on them: PUBLIC_URL is no https address.']),
  ];
}
