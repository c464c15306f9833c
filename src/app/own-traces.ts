import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';

/** Traces this process by OpenTelemetry, if the settings ask for it. Only then the SDK is loaded. */
export async function startOwnTraces(settings: Config['ownTraces'], logger: Logger): Promise<AsyncDisposable | null> {
  if (settings === null) {
    return null;
  }
  if (settings.protocol !== 'http/protobuf') {
    logger.warn(
      { protocol: settings.protocol },
      'Tocsin does not trace itself: it sends OTLP as http/protobuf only; set OTEL_EXPORTER_OTLP_PROTOCOL',
    );
    return null;
  }
  const { createOwnTraces } = await import('./own-traces-sdk.ts');
  return createOwnTraces(settings, logger);
}
