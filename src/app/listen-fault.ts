import { OperatorError } from '../runtime/operator-error.ts';

/** The message is one sentence for the operator. */
export class PortTakenError extends OperatorError {
  override readonly name = 'PortTakenError';
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** The setting that names the port. */
  readonly setting: 'PORT' | 'OTLP_GRPC_PORT' | 'SYSLOG_PORT';
}

/** Why a server cannot listen on a port or host, and what to do. */
export function listenFault(error: unknown, place: Place): PortTakenError {
  return new PortTakenError(describe(error, place), { cause: error });
}

function describe(error: unknown, { host, port, setting }: Place): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program: stop it, or set ${setting} to a free port`;
    case 'EACCES':
      return `this user may not listen on port ${port}: set ${setting} to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is not an address of this machine: set it to 127.0.0.1, or to 0.0.0.0 for all addresses`;
    default:
      return `cannot listen on ${host}:${port}: check HOST and ${setting} (${String(code ?? error)})`;
  }
}
