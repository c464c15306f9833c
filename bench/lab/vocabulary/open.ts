import type { Vocabulary } from './vocabulary.ts';

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

export const OPEN_VOCABULARY: Vocabulary = {
  syllables: words('ba ke lo mi nu ra se ti vo zu dar fen gol hix jun kar lem mor nis pol quo rin sab tev wex yal'),
  nouns: words(`
    order cart payment invoice customer account profile session catalog product price discount stock warehouse
    shipment parcel route driver ticket seat booking flight hotel room review rating search index feed message mail
    notice template asset image video upload report audit ledger balance transfer card fraud risk quote policy claim
    patient lab chart menu recipe table kitchen courier fleet sensor meter tariff usage plan contract lead campaign`),
  verbs: words(`
    get list find create update reserve release charge refund confirm cancel quote price sync publish render resolve
    verify issue assign schedule import export merge count load save check submit approve`),
  suffixes: ['', '', '-service', '-svc', '-api', 'd', '-server', '-backend'],
  vendors: words('api.{}.com {}.io payments.{}.net gateway.{}.com api.{}.dev maps.{}.org'),
  databases: words('{}-db {}-postgres {}-mysql mongo-{} {}db {}-store'),
  caches: words('{}-redis {}-cache redis-{} memcached-{}'),
  queues: words('{}-queue {}.events {}-topic jobs.{} {}-stream'),
  infoLines: [
    '{op} served in {n} ms',
    'handled {op} for user {n}',
    'request {n} completed: {op}',
    '{op}: 200 ({n} bytes)',
    'done {op} id={n}',
    'access {op} status=200 took={n}ms',
  ],
  idleErrors: [
    'ERROR could not refresh feature flags, using cached values',
    'ERROR metrics exporter: connection to sidecar lost, retry in {n} s',
    'ERROR deprecated option ignored in section {n}',
    'ERROR failed to parse header x-legacy-id of client {n}',
    'ERROR license check skipped: no network',
  ],
  errorLines: [
    'ERROR {op} failed: {reason}',
    'ERROR unhandled exception in {op}: {reason}',
    'ERROR while processing request {n}: {reason}',
    'ERROR {reason} (request {n})',
  ],
};
