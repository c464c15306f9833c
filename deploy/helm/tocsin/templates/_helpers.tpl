{{- define "tocsin.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "tocsin.selector" -}}
app.kubernetes.io/name: tocsin
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{/* The paths that belong to the service; a test compares them with src/contract/paths.ts. The bot has /slack. */}}
{{- define "tocsin.servicePaths" -}}
/v1 /dashboard /v2 /integrations /loki /services
{{- end -}}

{{/* A deployment of one part, its disruption budget and its Service: service or bot. */}}
{{- define "tocsin.deployment" -}}
{{- $values := index .root.Values .part -}}
{{- $settings := mergeOverwrite (deepCopy .root.Values.settings) $values.settings -}}
{{- $hasGrpc := and (eq .part "service") .root.Values.service.grpc -}}
{{- if .root.Values.ingress.enabled -}}
{{- $settings = merge $settings (dict "TRUSTED_PROXIES" .root.Values.ingress.trustedProxies) -}}
{{- end -}}
{{- if $hasGrpc -}}
{{- $settings = merge $settings (dict "OTLP_GRPC_PORT" "4317") -}}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .root.Release.Name }}-{{ .part }}
  labels:
    {{- include "tocsin.selector" . | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  selector:
    matchLabels:
      {{- include "tocsin.selector" . | nindent 6 }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "tocsin.selector" . | nindent 8 }}
      {{- with .root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 45
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml .root.Values.podSecurityContext | nindent 8 }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tocsin.selector" $ | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ .part }}
          image: {{ include "tocsin.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: ["node", "--max-semi-space-size=16", "--heap-growing-percent=100", "dist/main.js", {{ .part | quote }}]
          envFrom:
            - secretRef:
                name: {{ index .root.Values.secrets .part }}
          env:
            {{- range $name, $value := $settings }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
            {{- if eq .part "bot" }}
            - name: INCIDENTS_BASE_URL
              value: http://{{ .root.Release.Name }}-service:3000/v1
            {{- end }}
          ports:
            - name: http
              containerPort: 3000
            {{- if $hasGrpc }}
            - name: grpc
              containerPort: 4317
            {{- end }}
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 3
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: ["ALL"]
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: data
          emptyDir: {}
        - name: tmp
          emptyDir: {}
      {{- with .root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .part }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "tocsin.selector" . | nindent 6 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .root.Release.Name }}-{{ .part }}
  labels:
    {{- include "tocsin.selector" . | nindent 4 }}
spec:
  selector:
    {{- include "tocsin.selector" . | nindent 4 }}
  ports:
    - { name: http, port: 3000, targetPort: http }
    {{- if $hasGrpc }}
    - { name: grpc, port: 4317, targetPort: grpc, appProtocol: kubernetes.io/h2c }
    {{- end }}
{{- end -}}

{{/* What both ingresses share, up to their paths. */}}
{{- define "tocsin.ingress" -}}
{{- with .Values.ingress.className -}}
ingressClassName: {{ . }}
{{ end -}}
{{- with .Values.ingress.tlsSecret -}}
tls:
  - secretName: {{ . }}
    hosts: [{{ $.Values.ingress.host | quote }}]
{{ end -}}
rules:
  - host: {{ .Values.ingress.host | quote }}
    http:
      paths:
{{- end -}}
