import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { misspeltSettings } from './misspelt.ts';

describe('misspeltSettings', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['SLACK_BOT_TOKN', 'SLACK_BOT_TOKEN'],
    ['DATABASE_URL_FLIE', 'DATABASE_URL_FILE'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['Log_Level', 'LOG_LEVEL'],
  ])('tells that %s may mean %s, without its value', (name, meant) => {
    expect(misspeltSettings({ [name]: 's3cret' })).toEqual([
      `${name} is not a setting and is ignored: did you mean ${meant}?`,
    ]);
  });

  it('stands beside what is missing because of it', () => {
    expect(() => readConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKN: 'xapp-1' }, [])).toThrow(
      'SLACK_APP_TOKN is not a setting and is ignored: did you mean SLACK_APP_TOKEN?',
    );
  });

  it('is silent about settings, and about a name like that of a setting that is set', () => {
    expect(misspeltSettings({ DATABASE_URL: 'a', LOG_LEVEL: '', LOG_LEVELS: 'b', HOST: 'c' })).toEqual([]);
  });

  it('is silent about what shells, npm, Kubernetes and OpenTelemetry set', () => {
    const others =
      'HOME PATH PWD LANG TERM USER SHELL HOSTNAME TZ CI NODE_ENV POSTGRES_PASSWORD npm_config_registry INIT_CWD ' +
      'npm_lifecycle_event TOCSIN_PORT TOCSIN_SERVICE_PORT OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES ' +
      'OTEL_EXPORTER_OTLP_HEADERS OTEL_TRACES_EXPORTER OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ' +
      'OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_COMPRESSION';

    expect(misspeltSettings(Object.fromEntries(others.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });
});
