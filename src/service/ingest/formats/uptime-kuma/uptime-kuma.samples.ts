/** Written by hand from the references that the preset names. Names and ids are made up. */

export const uptimeKumaEvent = (status: 0 | 1 | 2 | 3) => ({
  heartbeat: {
    monitorID: 3,
    status,
    time: '2026-01-31 08:00:00.123',
    msg: 'Request failed with status code 502',
    important: true,
    duration: 60,
    timezone: 'Europe/Berlin',
    localDateTime: '2026-01-31 09:00:00',
  },
  monitor: {
    id: 3,
    name: 'payments',
    url: 'https://pay.example.com/health',
    hostname: null,
    port: null,
    type: 'http',
    interval: 60,
    tags: [{ name: 'team', value: 'checkout', color: '#fff' }],
  },
  msg: '[payments] [🔴 Down] Request failed with status code 502',
});
