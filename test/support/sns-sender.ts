import { sign } from 'node:crypto';
import { type SnsMessage, signedText } from '../../src/service/ingest/formats/sns/sns.ts';

/** Signs messages as Amazon SNS does. The certificate and its key were made for tests only. */
export const SNS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIDGzCCAgOgAwIBAgIUfQASnYT06HUGF/ts9bRAVQ5r1HcwDQYJKoZIhvcNAQEL
BQAwHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wIBcNMjYxMTIzMTUyNzI2
WhgPMjEyNjEwMzAxNTI3MjZaMBwxGjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29t
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAq/uePJfWGWa7HbpZd0Cj
CnfMiRACprTBMgPlG0GS50cSo6+omtyHlVL9/5LVT80rvAuAlW9v8MAOfhhV+LhZ
kZYVMSCf3okz16butFRdmUMIMURjhGuZoVV3Rri4Ayqa1RaNxa2S5TWqS8mP4hip
TzdEAG2Ov+piu170t3hB2srTr8sav+CRiFVK+9cwQ2S5HcM9KubP8crvn/uz+cYo
wrYEnLqWbAwFAjsV42GlyaZzTlF44xLRmgvcKd3e9bemXqGh38F5h2zZx16DIjue
fQRM99HeriNzdtQ7RfGkLQtM7fqgCF5VA1Fou4SChn0PkdeLk/HPw0ym67fZ74sy
IQIDAQABo1MwUTAdBgNVHQ4EFgQUj0a7ya94gLdBIM+BP+XXfcB3UW8wHwYDVR0j
BBgwFoAUj0a7ya94gLdBIM+BP+XXfcB3UW8wDwYDVR0TAQH/BAUwAwEB/zANBgkq
hkiG9w0BAQsFAAOCAQEADpEpJMVb4FUujX9z5Q7Uqblh+foJA4Ou+/f+dSKIDEJ8
C+CQC8U9bNgclO5F86UeZPVfRvdxTFrSSnMhTaLuV414iBNH0pLmE/w8SuyVh7M0
hIgr8xRJJ6yk+X2x/Drdf1u5CP5iJBydYW9uG4eOdYOAq+Tnjy/1cnkHKyE7N2W3
Oair4PzX0uzAwnYCHae5+xWYNFAb32DwUd5W1oC0MALIWmbG7906r15aGHjDK8pa
rwqHCM1W2vjJ/nkOsLAGZcVnbrIS1AXLyU3LpX5lGLOMJry3ElqNtP6E5Mms85dH
X5nyiyZiIpEg8ZwM/BjHtUARLlGokxLmbM0VoWQaTA==
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCr+548l9YZZrsd
ull3QKMKd8yJEAKmtMEyA+UbQZLnRxKjr6ia3IeVUv3/ktVPzSu8C4CVb2/wwA5+
GFX4uFmRlhUxIJ/eiTPXpu60VF2ZQwgxRGOEa5mhVXdGuLgDKprVFo3FrZLlNapL
yY/iGKlPN0QAbY6/6mK7XvS3eEHaytOvyxq/4JGIVUr71zBDZLkdwz0q5s/xyu+f
+7P5xijCtgScupZsDAUCOxXjYaXJpnNOUXjjEtGaC9wp3d71t6ZeoaHfwXmHbNnH
XoMiO559BEz30d6uI3N21DtF8aQtC0zt+qAIXlUDUWi7hIKGfQ+R14uT8c/DTKbr
t9nvizIhAgMBAAECggEAFD6VtVdANhRAMXMmpeF/b7ODaZzvWvVLCpqnxOoWo0/b
81WxmK0d7qdqy8Nahb7Gh6eo9q479JB/BDvUHueAb6FFlFddSkJHTnrRfXuy2uAn
njkJJ+TMnE+lrzb+Pi0tNakmfh78/CsxhSNQYxJ5F6CPSiebVp7+CUVXtCMdSWZG
QaKaItAIh9xuQKVKH7L7ALuJerhNfv2RY+e9eCGvrXokw4xtwsnnZ9KHyq6h/jEJ
0KJtQrm7+vozHm5qKV2aGhHoNSucPCVzpkN76OWNFaeBaH4mlKs6EtqSyUoAmVpf
ZdRn7xnVZOhNy7Akz+aQOueHSHShhtcCqGT/VGocOQKBgQDek9Czwxz/eTsb18cU
deUMseVg5vCOpfAknNsOYSUQil36NWog8dJC5pIzysZQo+Tsar8C1yia7gq8E0Xt
8Bi//7VRVGdQoIP6KRZY8A+rUh5xFEKAMI2hhpr7/1P0rbvjqwXVE9+T8y//2qah
bImwbyZaESAsMsdM4pYdx4q57QKBgQDFzuES3jqTExouLQ3xU8Z/phINXqH5+T2F
KQUGbqEiVfu/SNyAuD3VXS8klx/Qocf25Y4eEevh7clF5bqEM5J5NJil28fBApiC
DFEE7xuKduMJRLi7GOTbYGosN071p1TUF3EK4mJdfFI7zD6lBRC4AQjkqCMwmT9E
QNwOo3/ChQKBgFNaadsYI6Ds5pzrtutLp2aUrIEYm1fgfslHUKXW7Yl/N+h+3mrO
BN72+CObOZ9zcUS0SSooJ1W19aEvWo3bz3j/qwh1ImfIZQRnJK5T4JpZG3tfifP1
uuSVwy7CFM/ZzDZbksiUM7N1bDFV0fc77Wh8h5FNPo4uygJaDLvEQYiVAoGAC897
Xs4H/0oPsRwdjgArhOmcgFHbJ/q6sp2tYCHw2wT5QAWQrNrTTk7/BpdDXgia0OIJ
5z+4rses0dCSn1wY7cW3K4gA2ERYaMNlfv7rzQumKKKCySEGYRbToAo5W69/AB7a
MAUuTFik7E8Ymm+//MyLBGQJndg4j9GzkegvM6UCgYEAiY+E1hSsbF+DT/7qShlB
M8D0Jp1T/3U30K/Al0eNaCyzIQRcP8pAmLcxC0cxnxK/bh78q7Jg+RpTFbqmd7Pb
bDOUf0+GQXPtS1y4DS0K0FcjJxliLHL55lsa94kcxgpk78SdgB6sO9MT1u3Ghy19
cE+/yMHwVNf2mzm/tso1Rxg=
-----END PRIVATE KEY-----
`;

export const CERTIFICATE_URL = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-test.pem';

export function snsMessage(given: Partial<SnsMessage> = {}): SnsMessage {
  const message = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-central-1:000000000000:alarms',
    Subject: 'ALARM: "payments-errors-high" in EU (Frankfurt)',
    Message: 'backup failed',
    Timestamp: '2026-01-31T08:00:00.000Z',
    Token: '',
    SubscribeURL: '',
    SignatureVersion: '2',
    Signature: '',
    SigningCertURL: CERTIFICATE_URL,
    ...given,
  } as const;
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return { ...message, Signature: sign(algorithm, Buffer.from(signedText(message)), KEY).toString('base64') };
}
