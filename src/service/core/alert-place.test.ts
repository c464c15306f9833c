import { describe, expect, it } from 'vitest';
import { locateAlert } from './alert-place.ts';

type Labels = Readonly<Record<string, string>>;

function locate(labels: Labels, seen: readonly Labels[] = [], service = labels.alertname ?? '') {
  const name = labels.alertname ?? '';
  return locateAlert({ name, labels, isUnnamed: service === name }, service, seen);
}

const exporter = {
  job: 'node-exporter',
  service: 'kps-prometheus-node-exporter',
  container: 'node-exporter',
  namespace: 'monitoring',
  pod: 'kps-prometheus-node-exporter-w7bb7',
};

describe('an alert without others of its name', () => {
  it.each<[string, Labels, string, string | null]>([
    ['host', { alertname: 'Load', host: 'cache-3', severity: 'host/node' }, 'cache-3', null],
    [
      'address and file system',
      { alertname: 'Full', ...exporter, instance: '192.0.2.33:9100', mountpoint: '/mnt/a' },
      '192.0.2.33',
      '/mnt/a',
    ],
    ['host and check', { alertname: 'Problem', host: 'db-1', check: 'disk' }, 'db-1', 'disk'],
    [
      'check, rather than the gateway that passed it on',
      { alertname: 'Failed', check: 'backup', instance: 'gw:9091' },
      'backup',
      null,
    ],
    ['name, if no label is known to say where', { alertname: 'Failed', scope: 'area', owner: 'ops' }, 'Failed', null],
    ['name, of an exporter with nothing else', { alertname: 'Failed', ...exporter }, 'Failed', null],
  ])('is called by its %s', (_, labels, service, place) => {
    expect(locate(labels)).toEqual({ service, place });
  });

  it('keeps its service, and says where in it', () => {
    const labels = { alertname: 'Errors', service: 'checkout', instance: '10.0.0.3:8080' };

    expect(locate(labels, [], 'checkout')).toEqual({ service: 'checkout', place: '10.0.0.3' });
  });
});

describe('alerts of one name', () => {
  it('are called by the labels in which they differ', () => {
    const [one, other] = ['nightly-copy', 'tax-report'].map((work) => ({
      alertname: 'probe_failed',
      stage: 'x',
      work,
    }));

    expect(locate(one ?? {}, [other ?? {}]).service).toBe('probe_failed nightly-copy');
    expect(locate(other ?? {}, [one ?? {}]).service).toBe('probe_failed tax-report');
  });

  it('share a machine of which parts fail', () => {
    const [one, other] = ['/mnt/a', '/mnt/b'].map((mountpoint) => ({
      alertname: 'Full',
      ...exporter,
      instance: '192.0.2.33:9100',
      mountpoint,
    }));

    expect(locate(one ?? {}, [other ?? {}])).toEqual({ service: '192.0.2.33', place: '/mnt/a' });
    expect(locate(other ?? {}, [one ?? {}])).toEqual({ service: '192.0.2.33', place: '/mnt/b' });
  });

  it('are no place of their own for being judged differently, or by replicas', () => {
    const labels = { alertname: 'Slow', severity: 'warning', prometheus_replica: 'a' };

    expect(locate(labels, [{ alertname: 'Slow', severity: 'critical', prometheus_replica: 'b' }]).service).toBe('Slow');
  });

  it('name only one of the labels that say the same', () => {
    const at = (id: string) => ({
      alertname: 'Errors',
      service: 'checkout',
      pod: `checkout-${id}`,
      instance: `10.0.0.${id}:80`,
    });

    expect(locate(at('1'), [at('2'), at('3')], 'checkout').place).toBe('checkout-1');
  });

  it('keep the port if they differ in nothing else', () => {
    const at = (instance: string) => ({ alertname: 'Down', service: 'redis', instance });

    expect(locate(at('db-1:6379'), [at('db-1:6380')], 'redis').place).toBe('db-1:6379');
    expect(locate(at('db-1:6379'), [at('db-2:6379')], 'redis').place).toBe('db-1');
  });

  it('are not taken for the environment that they are in', () => {
    const at = (env: string) => ({ alertname: 'Late', env });

    expect(locate(at('eu'), [at('us')]).service).toBe('Late eu');
  });
});
