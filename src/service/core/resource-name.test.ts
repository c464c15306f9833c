import { expect, it } from 'vitest';
import { nameInPath } from './resource-name.ts';

it.each([
  ['app/checkout-lb/50dc6c495c0c9188', 'checkout-lb'],
  ['targetgroup/checkout/6d0ecf831eec9f09', 'checkout'],
  ['arn:aws:elasticloadbalancing:eu-1:1:loadbalancer/app/checkout-lb/50dc6c495c0c9188', 'checkout-lb'],
  ['arn:aws:lambda:eu-1:1:function:refunds', 'refunds'],
  ['arn:aws:lambda:eu-1:1:function:refunds:7', 'refunds'],
  ['arn:aws:sqs:eu-1:1:orders', 'orders'],
  ['arn:aws:states:eu-1:1:stateMachine:Refunds', 'Refunds'],
  ['arn:aws:states:eu-1:1:execution:Refunds:0f5a1b2c-1111-2222-3333-444455556666', 'Refunds'],
  ['arn:aws:s3:::invoices', 'invoices'],
  ['arn:aws:ec2:eu-1:1:instance/i-0abc123def4567890', 'i-0abc123def4567890'],
  ['arn:aws:ecs:eu-1:1:service/shop/checkout', 'checkout'],
  ['arn:aws:logs:eu-1:1:log-group:/aws/lambda/refunds:*', 'refunds'],
  ['/subscriptions/0000/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm-shop-1', 'vm-shop-1'],
  ['//pubsub.googleapis.com/projects/shop/subscriptions/orders', 'orders'],
  ['projects/shop/zones/eu-a/instances/4711', '4711'],
  ['Deployment/checkout/ReplicaSet/checkout-5d4f8c7b9d/Pod/checkout-5d4f8c7b9d-x7k2p', 'checkout'],
  ['shop/Pod/checkout-5d4f8c7b9d-x7k2p', 'checkout'],
])('reads the name in %s', (path, name) => {
  expect(nameInPath(path)).toBe(name);
});

it.each([
  'checkout',
  'shop/checkout',
  'https://shop.example.com/health/12345678',
  '/mnt/volumes',
  'team/50dc6c495c0c9188',
])('leaves %s as it is', (text) => {
  expect(nameInPath(text)).toBe(text);
});
