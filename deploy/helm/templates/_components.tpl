{{/*
  What runs, as YAML: whether it is one of our apps, whether it has keys of its own, the port that it answers on and the setting of
  its address, what it speaks there if not HTTP, which components it asks, whether it asks others outside of this chart, and what
  it writes. Deployments, Services and NetworkPolicies all follow from this.
*/}}
{{- define "openclaw-rl.components" -}}
{{- $kind := .Values.engines.kind -}}
gateway: { app: true, keys: true, listens: OPENCLAW_RL_GATEWAY_HOST, port: 30000, asks: [nats, policy-engine], outside: true }
session-tracker: { app: true, port: 9100, asks: [nats] }
prm-judge: { app: true, port: 9100, asks: [nats, policy-engine, prm-engine], outside: true }
opd-teacher: { app: true, port: 9100, asks: [nats, policy-engine, prm-engine], outside: true }
sample-submitter: { app: true, keys: true, listens: OPENCLAW_RL_DOOR_HOST, port: 30100, asks: [nats, policy-engine], outside: true{{ if (.Values.settings.records).enabled }}, volume: records{{ end }} }
{{- if and .Values.apps.trainer.enabled (ne $kind "gpu") }}
trainer: { app: true, keys: true, port: 9100, asks: [sample-submitter], outside: true, volume: training }
{{- end }}
doctor: { asks: [nats, gateway, sample-submitter, policy-engine, prm-engine], outside: true }
{{- if .Values.nats.enabled }}
nats: { port: 4222, speaks: nats, asks: [] }
{{- end }}
{{- if or (eq $kind "pocket") (eq $kind "gpu") }}
policy-engine: { port: 8000, asks: [] }
{{- end }}
{{- if or (eq $kind "pocket") (and (eq $kind "gpu") .Values.engines.gpu.prm.replicas) }}
prm-engine: { port: 8000, asks: [] }
{{- end }}
{{- if and (eq $kind "gpu") .Values.engines.gpu.slime.enabled }}
slime-trainer: { asks: [sample-submitter, policy-engine], outside: true }
{{- end }}
{{- end }}
