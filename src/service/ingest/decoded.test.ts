import { expect, it } from 'vitest';
import { toResource } from './decoded.ts';

it.each([
  [{ 'container.name': 'ad', 'host.name': 'node-7' }, 'ad', 'label container_name'],
  [{ 'service.name': 'unknown_service:node', 'host.name': 'node-7' }, 'unknown_service:node', 'the SDK'],
  [{ 'host.name': 'node-7', 'os.type': 'linux' }, 'node-7', 'the host'],
  [
    { 'k8s.deployment.name': 'ad', 'container.name': 'k8s_ad_0', 'host.name': 'node-7' },
    'ad',
    'label k8s_deployment_name',
  ],
])('names the service of a resource without service.name: %j', (attributes, service, serviceBy) => {
  expect(toResource(attributes)).toMatchObject({ service, serviceBy });
});
