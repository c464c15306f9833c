/** Formats in which shippers of logs and metrics push, with the path of each below the public address. */
export const PUSH_PATHS = {
  /** Promtail, Alloy and others have this path by default. */
  loki: '/loki/api/v1/push',
  /** Shippers append `/_bulk`. */
  elasticsearch: '/v1/elasticsearch',
  /** Splunk's HTTP Event Collector. Its clients cannot set another path. */
  splunk_hec: '/services/collector',
  remote_write: '/v1/remote-write',
  syslog: '/v1/syslog',
} as const;
