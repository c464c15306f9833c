/** The address of a front door for people and programs on this machine. */
export function addressOf(host: string, port: number): string {
  return `http://${reachableHost(host)}:${port}`;
}

/** A host that can be connected to, unlike 0.0.0.0. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') {
    return '127.0.0.1';
  }
  return host.includes(':') ? `[${host}]` : host;
}
