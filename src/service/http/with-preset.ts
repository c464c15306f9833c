import type { CreateIntegrationRequest } from '../../contract/integrations.ts';
import { findPreset } from '../ingest/presets/presets.ts';
import { invalidBody } from './validate.ts';

/**
 * An integration that names a preset begins with its mapping, which is its own from then on.
 *
 * @throws {RequestError} for a preset that does not exist
 */
export function withPreset(request: CreateIntegrationRequest): CreateIntegrationRequest {
  if (request.type !== 'json' || request.config.preset === undefined) {
    return request;
  }
  const preset = findPreset(request.config.preset);
  if (preset === null) {
    throw invalidBody([{ pointer: '/config/preset', detail: 'is no preset; docs/senders.md lists them' }]);
  }
  const { mapping = preset.mapping } = request.config;
  return { ...request, config: { ...request.config, mapping } };
}
