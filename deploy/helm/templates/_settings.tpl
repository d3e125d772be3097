{{/* Base URLs of the engines on GPUs of a pool, each by the name of its pod, since sessions stay with one. */}}
{{- define "openclaw-rl.engineUrls" -}}
{{- $name := include "openclaw-rl.name" (list (index . 0) (index . 1)) -}}
{{- range $i := until (int (index . 2)) }}
- http://{{ $name }}-{{ $i }}.{{ $name }}:8000
{{- end }}
{{- end }}

{{/* What follows from engines.kind, below what settings say. */}}
{{- define "openclaw-rl.engineSettings" -}}
{{- $policy := include "openclaw-rl.name" (list . "policy-engine") -}}
{{- $prm := include "openclaw-rl.name" (list . "prm-engine") -}}
{{- if eq .Values.engines.kind "pocket" }}
server: { base_url: http://{{ $policy }}:8000, policy_model: policy, judge_base_url: http://{{ $prm }}:8000, judge_model: judge }
pocket: { host: 0.0.0.0, port: 8000, judge_model: judge, served_file: /var/lib/openclaw-rl/pocket-engine.json }
trainer: { backend: pocket }
{{- else if eq .Values.engines.kind "gpu" }}
{{- with .Values.engines.gpu }}
server: { policy_model: policy, judge_model: {{ if .prm.replicas }}judge{{ else }}policy{{ end }} }
pools:
  gpus: {{ add (mul .policy.replicas .policy.gpus) (mul .prm.replicas .prm.gpus) (ternary .slime.gpus 0 .slime.enabled) }}
  trainer_gpus: {{ ternary .slime.gpus 0 .slime.enabled }}
  policy_gpus: {{ mul .policy.replicas .policy.gpus }}
  policy_tp: {{ .policy.gpus }}
  policy_engines: {{- include "openclaw-rl.engineUrls" (list $ "policy-engine" .policy.replicas) | nindent 4 }}
  prm_gpus: {{ mul .prm.replicas .prm.gpus }}
  {{- if .prm.replicas }}
  prm_tp: {{ .prm.gpus }}
  prm_engines: {{- include "openclaw-rl.engineUrls" (list $ "prm-engine" .prm.replicas) | nindent 4 }}
  {{- end }}
{{- if .slime.enabled }}
# slime aborts what engines answer while it changes them: they end first.
gate: { pause: drain }
{{- end }}
{{- end }}
{{- end }}
logs: { format: json }
training: { weights_dir: /var/lib/openclaw-rl/weights }
{{- end }}

{{/* What the chart's own Services, volumes and probes rely on, above what settings say. */}}
{{- define "openclaw-rl.fixedSettings" -}}
gateway: { port: 30000 }
door: { port: 30100 }
metrics: { host: 0.0.0.0, port: 9100 }
records: { dir: /var/lib/openclaw-rl/records }
trainer: { dir: /var/lib/openclaw-rl/batches, door_url: 'http://{{ include "openclaw-rl.name" (list . "sample-submitter") }}:30100' }
{{- if .Values.nats.enabled }}
nats: { store_gb: {{ .Values.nats.storeGb }}, replicas: {{ .Values.nats.replicas }} }
{{- end }}
{{- end }}

{{- define "openclaw-rl.settings" -}}
{{- $fixed := include "openclaw-rl.fixedSettings" . | fromYaml -}}
{{- $engines := include "openclaw-rl.engineSettings" . | fromYaml -}}
{{ merge $fixed (deepCopy .Values.settings) $engines | toYaml }}
{{- end }}
