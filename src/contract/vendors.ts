/** Products whose own webhooks are understood, with the path of each below the public address. */
export const VENDOR_PATHS = {
  sns: '/v1/sns',
  datadog: '/v1/datadog',
  new_relic: '/v1/new-relic',
  sentry: '/v1/sentry',
  zabbix: '/v1/zabbix',
  uptime_kuma: '/v1/uptime-kuma',
  github: '/v1/github',
  gitlab: '/v1/gitlab',
  argo_cd: '/v1/argo-cd',
  flux: '/v1/flux',
} as const;

/** The products above that sign their requests with a secret that the user has. */
export const SIGNING_VENDORS = ['sentry', 'github', 'gitlab', 'flux'] as const;
