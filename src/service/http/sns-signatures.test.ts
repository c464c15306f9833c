import { describe, expect, it } from 'vitest';
import { CERTIFICATE_URL, SNS_CERTIFICATE, snsMessage } from '../../../test/support/sns-sender.ts';
import { findAmazonUrl } from '../ingest/formats/sns/sns.ts';
import { RequestError } from './problem.ts';
import { createSnsVerifier } from './sns-signatures.ts';

const NOW = new Date('2030-01-01T00:00:00Z'); // the certificate is valid for a hundred years

function createVerifier(get: (url: URL) => Promise<string> = () => Promise.resolve(SNS_CERTIFICATE)) {
  const asked: string[] = [];
  const verify = createSnsVerifier((url) => {
    asked.push(url.href);
    return get(url);
  });
  return { asked, verify };
}

async function codeOf(verifying: Promise<void>): Promise<string> {
  return verifying.then(
    () => 'verified',
    (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
  );
}

const confirmation = {
  Type: 'SubscriptionConfirmation',
  Token: '2336412f37',
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37',
} as const;

describe('the signature of SNS', () => {
  it.each([
    ['of a notification, version 2', {}],
    ['of a notification, version 1', { SignatureVersion: '1' }],
    ['of a notification without a subject', { Subject: undefined }],
    ['of a confirmation, version 2', confirmation],
    ['of a confirmation, version 1', { ...confirmation, SignatureVersion: '1' }],
  ] as const)('is accepted %s', async (_name, given) => {
    const { verify, asked } = createVerifier();

    const first = await codeOf(verify(snsMessage(given), NOW));
    await verify(snsMessage(given), NOW);

    expect(first).toBe('verified');
    expect(asked).toEqual([CERTIFICATE_URL]); // the certificate is kept
  });

  it.each([
    ['its message was changed', { Message: 'all is well' }],
    ['its topic was changed', { TopicArn: 'arn:aws:sns:eu-central-1:0:other' }],
    ['its type was changed', { Type: 'UnsubscribeConfirmation' }],
    ['it was made for another version', { SignatureVersion: '1' }],
    ['it is empty', { Signature: '' }],
  ] as const)('is refused if %s', async (_name, changed) => {
    const { verify } = createVerifier();

    expect(await codeOf(verify({ ...snsMessage(), ...changed }, NOW))).toBe('invalid-body');
  });

  it('is refused before and after the time of its certificate', async () => {
    const { verify } = createVerifier();
    const codes = [];
    for (const year of ['2001', '2200']) {
      codes.push(await codeOf(verify(snsMessage(), new Date(`${year}-01-01T00:00:00Z`))));
    }

    expect(codes).toEqual(['invalid-body', 'invalid-body']);
  });

  it('is asked for again later while the certificate cannot be read', async () => {
    let isAway = true;
    const { verify } = createVerifier(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(SNS_CERTIFICATE),
    );

    const during = await codeOf(verify(snsMessage(), NOW));
    isAway = false;

    expect([during, await codeOf(verify(snsMessage(), NOW))]).toEqual(['overloaded', 'verified']);
  });

  it.each([
    'http://sns.eu-central-1.amazonaws.com/a.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.example/a.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com/a.pem',
    'https://evilsns.eu-central-1.amazonaws.com/a.pem',
    'https://sns.amazonaws.com/a.pem',
    'https://s3.eu-central-1.amazonaws.com/a.pem',
    'https://user@sns.eu-central-1.amazonaws.com/a.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/a.pem',
    'https://sns.eu-central-1.amazonaws.com/a.txt',
    'https://sns.eu-central-1.amazonaws.com@evil.example/a.pem',
    'https://169.254.169.254/a.pem',
  ])('never leads to %s', async (SigningCertURL) => {
    const { verify, asked } = createVerifier();

    expect(await codeOf(verify(snsMessage({ SigningCertURL }), NOW))).toBe('invalid-body');
    expect(asked).toEqual([]);
  });
});

it('knows the hosts of China and of Europe’s own cloud', () => {
  const hosts = ['sns.cn-north-1.amazonaws.com.cn', 'sns.eusc-de-east-1.amazonaws.eu'];

  expect(hosts.map((host) => findAmazonUrl(`https://${host}/a.pem`)?.hostname)).toEqual(hosts);
});
