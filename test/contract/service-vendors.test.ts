import { createHmac } from 'node:crypto';
import { addMinutes } from 'date-fns/addMinutes';
import { describe, expect, it, vi } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { SIGNING_VENDORS, VENDOR_PATHS } from '../../src/contract/vendors.ts';
import { argoCdNotification } from '../../src/service/ingest/formats/argo-cd/argo-cd.samples.ts';
import { datadogDefault, datadogEvent } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { fluxEvent } from '../../src/service/ingest/formats/flux/flux.samples.ts';
import { gitHubDeployment } from '../../src/service/ingest/formats/github/github.samples.ts';
import { gitLabDeployment } from '../../src/service/ingest/formats/gitlab/gitlab.samples.ts';
import { newRelicIssue } from '../../src/service/ingest/formats/new-relic/new-relic.samples.ts';
import { sentryIssue } from '../../src/service/ingest/formats/sentry/sentry.samples.ts';
import { cloudWatchAlarm } from '../../src/service/ingest/formats/sns/cloudwatch.samples.ts';
import { uptimeKumaEvent } from '../../src/service/ingest/formats/uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent } from '../../src/service/ingest/formats/zabbix/zabbix.samples.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { HANG_MS } from '../support/hang.ts';
import { CERTIFICATE_URL, SNS_CERTIFICATE, snsMessage } from '../support/sns-sender.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

async function create(tocsin: TestService, type: string, config: object = {}) {
  const response = await tocsin.call('POST', '/integrations', { body: { type, name: type, config } });
  return Integration.parse(await response.json());
}

const SENT: Readonly<Record<Exclude<keyof typeof VENDOR_PATHS, 'sns'>, object>> = {
  datadog: datadogEvent('Triggered'),
  new_relic: newRelicIssue('ACTIVATED'),
  sentry: sentryIssue('created'),
  zabbix: zabbixEvent('1'),
  uptime_kuma: uptimeKumaEvent(0),
  github: gitHubDeployment('success'),
  gitlab: gitLabDeployment('success'),
  argo_cd: argoCdNotification('Failed', 'Healthy'),
  flux: fluxEvent('error', 'HealthCheckFailed'),
};

describe.each(Object.entries(SENT))('an integration of type %s', (type, body) => {
  it('accepts what its product documents, with the key in the address', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: key, ingest_url: url = '' } = await create(tocsin, type);
    const path = new URL(url).pathname.replace('/v1', '');

    const response = await tocsin.call('POST', `${path}?token=${key}`, { key: null, body });
    const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());

    expect(response.status).toBe(200);
    expect(signals.map(({ service, source }) => [service, source?.format])).toEqual(
      ['github', 'gitlab'].includes(type) ? [] : [['payments', type]],
    );
  });

  it('says what is wrong with anything else, and keeps it', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '', ingest_url: url = '' } = await create(tocsin, type);

    const response = await tocsin.call('POST', new URL(url).pathname.replace('/v1', ''), { key, body: '[1]' });
    const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());

    expect(response.status).toBe(422);
    expect(integrations).toMatchObject([{ status: 'failing', last_error: expect.stringMatching(/^invalid-body: /) }]);
  });
});

it.each(Object.entries(SENT))(
  'accepts a body of the largest size from %s, and refuses a larger one',
  async (type, sent) => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '', ingest_url: url = '' } = await create(tocsin, type);
    const path = new URL(url).pathname.replace('/v1', '');
    const text = JSON.stringify(sent);
    const send = (bytes: number) =>
      tocsin.call('POST', path, {
        key,
        headers: { 'content-type': 'application/json' },
        body: text + ' '.repeat(bytes - Buffer.byteLength(text)),
      });

    const largest = await send(INGEST_LIMITS.eventsBytes);
    const larger = await send(INGEST_LIMITS.eventsBytes + 1);

    expect([largest.status, larger.status]).toEqual([200, 413]);
  },
);

/** Headers of a body that is signed as the vendor does. */
type Sign = (secret: string, body: string, now: Date) => Readonly<Record<string, string>>;

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

const SIGNED: Readonly<Record<(typeof SIGNING_VENDORS)[number], Sign>> = {
  github: (secret, body) => ({ 'x-hub-signature-256': `sha256=${hex(secret, body)}` }),
  sentry: (secret, body) => ({ 'sentry-hook-signature': hex(secret, body) }),
  flux: (secret, body) => ({ 'x-signature': `sha256=${hex(secret, body)}` }),
  gitlab: (secret, body, now) => signedByGitLab(secret, body, now),
};

/** gitlab.com, merge request 230944, which follows Standard Webhooks (read on 2026-11-25). */
function signedByGitLab(token: string, body: string, at: Date) {
  const [id, time] = ['f5e5f430-f57b-4e6e-9fac-d9128cd7232f', String(Math.floor(at.getTime() / 1_000))];
  const key = Buffer.from(token.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
}

describe.each(SIGNING_VENDORS)('a signed request of %s', (type) => {
  const secret = `whsec_${Buffer.from('a secret of both').toString('base64')}`;
  const another = `whsec_${Buffer.from('another secret').toString('base64')}`;
  const body = JSON.stringify(SENT[type]);
  const sign = SIGNED[type];

  it('is accepted with the secret of the integration, and refused without it or with another', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '', config } = await create(tocsin, type, { secret });
    const send = (given: Readonly<Record<string, string>>) =>
      tocsin.call('POST', VENDOR_PATHS[type].replace('/v1', ''), {
        key,
        body,
        headers: { 'content-type': 'application/json', ...given },
      });
    const now = tocsin.now();
    const [header = ''] = Object.keys(sign(secret, body, now)).slice(-1);

    const statuses = [];
    for (const given of [
      sign(secret, body, now),
      {},
      sign(another, body, now),
      sign(secret, `${body} `, now),
      { ...sign(secret, body, now), [header]: 'x' },
    ]) {
      statuses.push((await send(given)).status);
    }
    const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());

    expect(statuses).toEqual([200, 422, 422, 422, 422]);
    expect([config, integrations[0]?.config]).toEqual([{ secret: '***' }, { secret: '***' }]);
    expect(integrations[0]?.last_error).toMatch(/^invalid-body: .*has another signature/);
  });
});

it('refuses a signed request of GitLab that is old or has another time, and accepts one of several signatures', async () => {
  await using tocsin = await startTestService();
  const secret = `whsec_${Buffer.from('a secret of both').toString('base64')}`;
  const { ingest_key: key = '' } = await create(tocsin, 'gitlab', { secret });
  const body = JSON.stringify(SENT.gitlab);
  const send = async (given: Readonly<Record<string, string>>) => {
    const headers = { 'content-type': 'application/json', ...given };
    return (await tocsin.call('POST', '/gitlab', { key, body, headers })).status;
  };
  const signed = signedByGitLab(secret, body, tocsin.now());

  const old = await send(signedByGitLab(secret, body, addMinutes(tocsin.now(), -6)));
  const otherTime = await send({ ...signed, 'webhook-timestamp': String(Number(signed['webhook-timestamp']) + 1) });
  const several = await send({ ...signed, 'webhook-signature': `v1,old ${signed['webhook-signature']}` });

  expect([old, otherTime, several]).toEqual([422, 422, 200]);
});

describe('a form of GitHub, its default content type', () => {
  const form = (payload: string) => `payload=${encodeURIComponent(payload).replaceAll('%20', '+')}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };

  it('is read, and its signature is that of the form', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '' } = await create(tocsin, 'github', { secret: 'a secret of both' });
    const body = form(JSON.stringify(SENT.github));
    const signature = (text: string) => `sha256=${createHmac('sha256', 'a secret of both').update(text).digest('hex')}`;
    const send = (signed: string) =>
      tocsin.call('POST', '/github', { key, body, headers: { ...headers, 'x-hub-signature-256': signature(signed) } });

    expect((await send(body)).status).toBe(200);
    expect((await send(JSON.stringify(SENT.github))).status).toBe(422);
  });

  it.each([
    ['without a payload', 'zen=1', 400],
    ['whose payload is no JSON', form('{'), 400],
    ['that is not percent-encoded', 'payload=%', 400],
    ['whose payload is of another form', form('[1]'), 422],
  ])('%s is refused', async (_name, body, status) => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '' } = await create(tocsin, 'github');

    expect((await tocsin.call('POST', '/github', { key, body, headers })).status).toBe(status);
  });
});

it('takes GitLab’s token for the key', async () => {
  await using tocsin = await startTestService();
  const { ingest_key: key = '' } = await create(tocsin, 'gitlab');
  const send = (token: string) =>
    tocsin.call('POST', '/gitlab', { key: null, headers: { 'x-gitlab-token': token }, body: SENT.gitlab });

  expect([(await send(key)).status, (await send('wrong')).status]).toEqual([200, 401]);
});

it('shows a deployment at the incident of the service that fails after it', async () => {
  await using tocsin = await startTestService();
  const { ingest_key: key = '' } = await create(tocsin, 'github');
  const { deployment_status: status, ...rest } = gitHubDeployment('success');
  const body = { ...rest, deployment_status: { ...status, created_at: addMinutes(tocsin.now(), -2).toISOString() } };
  await tocsin.call('POST', '/github', { key, body });

  await tocsin.failIn(['payments']);
  const incident = await tocsin.openIncident();

  expect(incident.changes).toMatchObject([{ service: 'payments', version: 'f95f852 to production' }]);
});

it('opens an incident for an alert, which recovers when its product says so', async () => {
  await using tocsin = await startTestService();
  const { ingest_key: key = '' } = await create(tocsin, 'datadog');
  const send = (transition: string) => tocsin.call('POST', '/datadog', { key, body: datadogEvent(transition) });

  await send('Triggered');
  const opened = await tocsin.openIncident();
  await send('Recovered');
  const over = await vi.waitUntil(
    async () => {
      tocsin.advance(2_000);
      const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${opened.id}`)).json());
      return incident.activity === 'recovered' ? incident : null;
    },
    { timeout: HANG_MS },
  );

  expect(opened).toMatchObject({ root_service: 'payments', integrations: [{ name: 'datadog' }] });
  expect(over).toMatchObject({ status: 'open', signals_ended_at: expect.any(String) });
});

it.each([
  ['uptime_kuma', '/uptime-kuma', uptimeKumaEvent(0), 'payments is down: Request failed with status code 502'],
  ['datadog', '/datadog', datadogDefault('[Triggered] Queue is long'), 'Queue is long'],
])('names the service once in the title of an alert of %s', async (type, path, body, title) => {
  await using tocsin = await startTestService();
  const { ingest_key: key = '' } = await create(tocsin, type);

  await tocsin.call('POST', path, { key, body });

  expect(await tocsin.openIncident()).toMatchObject({ title });
});

describe('a message of SNS', () => {
  /** A service for which Amazon's addresses are those of the test. */
  async function startWithAmazon() {
    const asked: string[] = [];
    const getFromAmazon = (url: URL) => {
      asked.push(url.href);
      return Promise.resolve(SNS_CERTIFICATE);
    };
    const tocsin = await startTestService({ getFromAmazon });
    const { ingest_key: key } = await create(tocsin, 'sns');
    const send = async (message: object) => {
      const headers = { 'content-type': 'text/plain; charset=UTF-8' };
      const response = await tocsin.call('POST', `/sns?token=${key}`, {
        key: null,
        headers,
        body: JSON.stringify(message),
      });
      return response.status;
    };
    return { tocsin, asked, send };
  }

  it('with an alarm of CloudWatch opens an incident, and its end is seen', async () => {
    const { tocsin: started, send } = await startWithAmazon();
    await using tocsin = started;
    const alarm = (state: 'ALARM' | 'OK', ms: number) =>
      send(
        snsMessage({
          Message: JSON.stringify(cloudWatchAlarm(state, new Date(Date.now() + ms).toISOString())),
        }),
      );

    const fired = await alarm('ALARM', -60_000);
    const incident = await tocsin.openIncident();
    const ended = await alarm('OK', 0);
    const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());

    expect([fired, ended]).toEqual([200, 200]);
    expect(incident).toMatchObject({ title: 'payments: payments-errors-high: more than 5 errors a minute' });
    expect(signals).toMatchObject([{ source: { format: 'sns' }, ended_at: expect.any(String) }]);
  });

  it('confirms a subscription after its signature was verified, and only then', async () => {
    const { tocsin: started, asked, send } = await startWithAmazon();
    await using _tocsin = started;
    const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1';
    const message = snsMessage({ Type: 'SubscriptionConfirmation', Token: '1', SubscribeURL });

    const forged = await send({ ...message, TopicArn: 'arn:aws:sns:eu-central-1:0:another' });
    const before = [...asked];
    const foreign = await send(
      snsMessage({ Type: 'SubscriptionConfirmation', Token: '1', SubscribeURL: 'https://evil.example/' }),
    );
    const confirmed = await send(message);

    expect([forged, foreign, confirmed]).toEqual([422, 422, 200]);
    expect(before).toEqual([CERTIFICATE_URL]);
    expect(asked).toEqual([CERTIFICATE_URL, SubscribeURL]);
  });

  it.each([
    ['whose certificate is elsewhere', snsMessage({ SigningCertURL: 'https://evil.example/a.pem' }), '/SigningCertURL'],
    ['without a signature', { ...snsMessage(), Signature: undefined }, '/Signature'],
    ['of an unknown version', { ...snsMessage(), SignatureVersion: '3' }, '/SignatureVersion'],
  ])('%s is refused and leads to no incident', async (_name, message, pointer) => {
    await using tocsin = await startTestService();
    const { ingest_key: key } = await create(tocsin, 'sns');

    const response = await tocsin.call('POST', `/sns?token=${key}`, {
      key: null,
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      body: JSON.stringify(message),
    });
    const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
    expect(signals).toEqual([]);
  });
});
