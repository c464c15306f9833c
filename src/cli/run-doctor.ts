import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../client/errors.ts';
import { createServiceClient, type ServiceClient } from '../client/service-client.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { misspeltSettings } from '../config/misspelt.ts';
import { openDatabase } from '../database/database.ts';
import { DatabaseStartError } from '../database/errors.ts';
import { createLogger } from '../runtime/logger.ts';
import { LogUnavailableError } from '../service/core/errors.ts';
import { createNatsServers } from '../service/log/nats-connection.ts';
import { whyNoPager } from '../service/on-call/no-pager.ts';
import { type ApiKeyStore, openApiKeyStore } from '../service/store/keys/api-key-store.ts';
import { createPolicyStore } from '../service/store/pages/policy-store.ts';
import { serviceMigrations } from '../service/store/schema/migrations.ts';
import { SERVICE_SCHEMA } from '../service/store/schema/tables.ts';
import { checkSlack } from './check-slack.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { UsageError } from './errors.ts';
import { describeFindings, type Finding } from './finding.ts';

/** An id that no service has, so a write to it changes nothing. */
const NO_INCIDENT = 'tocsin-doctor-asks-whether-it-may-write';
const READ_ONLY =
  'responds, but INCIDENTS_API_KEY may not write, so acknowledgements and notes cannot reach it: set it to a read-write key of that service';

/** Checks the settings, the database, the service and Slack. Changes nothing except what a start would change. */
export async function runDoctor(args: readonly string[], { env, now }: VerbDeps): Promise<CommandResult> {
  if (args.length > 0) {
    throw new UsageError('doctor takes no arguments: npm start -- doctor');
  }
  const findings = await examine(env, createLogger('warn'), now);
  return { output: describeFindings(findings), notice: null, hasFailed: findings.some(({ isWell }) => !isWell) };
}

async function examine(
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
  now: () => Date,
): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env, []);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.faults.map((fault) => ({ subject: 'settings', isWell: false, sentence: fault }));
    }
    throw error;
  }
  return [
    { subject: 'settings', isWell: true, sentence: 'valid' },
    ...misspeltSettings(env).map((sentence) => ({ subject: 'settings', isWell: false, sentence })),
    ...(await checkDatabase(config, logger, now())),
    ...(config.natsUrl === null ? [] : [await checkNats(config.natsUrl)]),
    ...(config.service.kind === 'remote' ? [await checkService(config.service)] : []),
    ...(await checkSlack(config.slack, config.channel, logger, now)),
  ];
}

async function checkDatabase(
  { database: chosen, service, bootstrapKey, heartbeatUrl, http: { publicUrl } }: Config,
  logger: Logger,
  now: Date,
): Promise<Finding[]> {
  try {
    await using database = await openDatabase({ ...chosen, logger });
    await database.check();
    const answers = { subject: 'database', isWell: true, sentence: 'PostgreSQL responds' };
    if (service.kind === 'remote') {
      return [answers];
    }
    const keys = await openApiKeyStore(database);
    const { length } = await keys.list();
    const policies = await createPolicyStore(await database.open(SERVICE_SCHEMA, serviceMigrations)).list();
    const isEmbedded = chosen.url === null;
    const noPager = whyNoPager({ isEmbedded, isWatched: heartbeatUrl !== null, publicUrl: publicUrl ?? '' });
    return [
      answers,
      { subject: 'service', isWell: true, sentence: `runs in this process; ${length} API keys are stored` },
      ...(policies.length === 0 ? [] : noPager).map((sentence) => ({ subject: 'pager', isWell: false, sentence })),
      ...(bootstrapKey === null ? [] : [await checkBootstrapKey(bootstrapKey, keys, now)]),
    ];
  } catch (error) {
    if (error instanceof DatabaseStartError) {
      return [{ subject: 'database', isWell: false, sentence: error.message }];
    }
    throw error;
  }
}

async function checkNats(url: string): Promise<Finding> {
  await using servers = createNatsServers(url);
  try {
    await servers.attempt(async () => undefined, 0);
    return { subject: 'nats', isWell: true, sentence: 'JetStream responds' };
  } catch (error) {
    if (!(error instanceof LogUnavailableError)) {
      throw error;
    }
    return { subject: 'nats', isWell: false, sentence: `${error.message}: check NATS_URL and its servers` };
  }
}

async function checkBootstrapKey(bootstrapKey: string, keys: ApiKeyStore, now: Date): Promise<Finding> {
  const isKnown = (await keys.authenticate(bootstrapKey, now)) !== null;
  const isEmpty = (await keys.list()).length === 0;
  if (isKnown || isEmpty) {
    const sentence = isKnown ? 'BOOTSTRAP_API_KEY works' : 'BOOTSTRAP_API_KEY will be stored at the first start';
    return { subject: 'keys', isWell: true, sentence };
  }
  const sentence =
    'BOOTSTRAP_API_KEY is not a valid API key and is ignored: unset it, or create keys with npm start -- keys create';
  return { subject: 'keys', isWell: false, sentence };
}

async function mayWrite(client: ServiceClient): Promise<boolean> {
  const failure: unknown = await client.acknowledgeIncident(NO_INCIDENT, { user: 'tocsin doctor' }).then(
    () => null,
    (error: unknown) => error,
  );
  return !(failure instanceof ServiceResponseError && failure.status === 403);
}

async function checkService({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<Finding> {
  await using client = createServiceClient({ baseUrl, apiKey });
  try {
    await client.listIncidents({ limit: 1 });
    return (await mayWrite(client))
      ? { subject: 'service', isWell: true, sentence: 'responds and accepts INCIDENTS_API_KEY' }
      : { subject: 'service', isWell: false, sentence: READ_ONLY };
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    const isRefused = error instanceof ServiceResponseError && (error.status === 401 || error.status === 403);
    const advice = isRefused
      ? 'set INCIDENTS_API_KEY to a read-write key of that service'
      : 'check INCIDENTS_BASE_URL and that the service is running';
    return { subject: 'service', isWell: false, sentence: `${error.message}: ${advice}` };
  }
}
