{{- define "openclaw-rl.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "openclaw-rl.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/*
  What all pods have in common. Without enableServiceLinks: Kubernetes would add variables such as OPENCLAW_RL_GATEWAY_PORT, which
  the apps would take for settings.
*/}}
{{- define "openclaw-rl.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with (index . 0).Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (index . 2).nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (index . 2).tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "openclaw-rl.selector" . | nindent 8 }}
{{- end }}

{{/* Alive as long as it answers; ready when it can do its work; a minute to start in. */}}
{{- define "openclaw-rl.probes" -}}
startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 30 }
livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 3 }
readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 10, failureThreshold: 3 }
{{- end }}

{{/* Where NATS is, with the app's own user there. It wins over what stands in a Secret. */}}
{{- define "openclaw-rl.natsUrl" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $password := printf "NATS_%s_PASSWORD" ($name | upper | replace "-" "_") -}}
{{- with $root.Values.nats -}}
{{- if or .enabled .users }}
- name: {{ $password }}
  valueFrom:
    secretKeyRef:
      name: {{ include "openclaw-rl.secret" (list $root "nats" .secret) }}
      key: {{ $password }}
{{- end }}
- name: OPENCLAW_RL_NATS_URL
  {{- if .enabled }}
  value: nats://{{ $name }}:$({{ $password }})@{{ include "openclaw-rl.name" (list $root "nats") }}:4222
  {{- else if .users }}
  value: {{ required "nats.url: name the NATS server, or set nats.enabled" .url | replace "://" (printf "://%s:$(%s)@" $name $password) }}
  {{- else }}
  value: {{ required "nats.url: name the NATS server, or set nats.enabled" .url }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The file of settings that a component reads, as a volume. */}}
{{- define "openclaw-rl.settingsVolume" -}}
name: settings
configMap:
  name: {{ include "openclaw-rl.name" (list (index . 0) "settings") }}
  items: [{ key: {{ index . 1 }}.toml, path: openclaw-rl.toml }]
{{- end }}
