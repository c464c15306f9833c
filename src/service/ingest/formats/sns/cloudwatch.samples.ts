/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

export const cloudWatchAlarm = (state: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA', changedAt: string) => ({
  AlarmName: 'payments-errors-high',
  AlarmDescription: 'more than 5 errors a minute',
  AWSAccountId: '000000000000',
  AlarmConfigurationUpdatedTimestamp: '2026-01-30T10:00:00.000+0000',
  NewStateValue: state,
  NewStateReason: 'Threshold Crossed: 1 datapoint [7.0] was greater than the threshold (5.0).',
  StateChangeTime: changedAt,
  Region: 'EU (Frankfurt)',
  AlarmArn: 'arn:aws:cloudwatch:eu-central-1:000000000000:alarm:payments-errors-high',
  OldStateValue: state === 'OK' ? 'ALARM' : 'OK',
  OKActions: [],
  AlarmActions: ['arn:aws:sns:eu-central-1:000000000000:alarms'],
  InsufficientDataActions: [],
  Trigger: {
    MetricName: 'Errors',
    Namespace: 'AWS/Lambda',
    StatisticType: 'Statistic',
    Statistic: 'SUM',
    Unit: null,
    Dimensions: [{ value: 'payments', name: 'FunctionName' }],
    Period: 60,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 5.0,
    TreatMissingData: '',
    EvaluateLowSampleCountPercentile: '',
  },
});

/** Of several metrics: aws/aws-lambda-go, `events/sns.go`, read on 2026-11-25. */
export const cloudWatchMathAlarm = () => {
  const { Trigger, ...alarm } = cloudWatchAlarm('ALARM', '2026-01-31T08:00:00.000+0000');
  const { MetricName, Namespace, Dimensions, Period, EvaluationPeriods, ComparisonOperator, Threshold } = Trigger;
  const metric = (Id: string, name: string) => ({
    Id,
    MetricStat: { Metric: { Dimensions, MetricName: name, Namespace }, Period, Stat: 'Sum' },
    ReturnData: false,
  });
  const Metrics = [
    { Expression: 'm1 / m2', Id: 'e1', Label: 'Error rate', ReturnData: true },
    metric('m1', MetricName),
    metric('m2', 'Invocations'),
  ];
  return { ...alarm, Trigger: { Period, EvaluationPeriods, ComparisonOperator, Threshold, Metrics } };
};
