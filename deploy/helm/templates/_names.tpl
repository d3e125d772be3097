{{/* Every template here that says `component` takes a list: the chart's root, and the component's name. */}}

{{- define "openclaw-rl.name" -}}
{{ printf "%s-%s" (index . 0).Release.Name (index . 1) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* What a component's pods are found by: these never change. */}}
{{- define "openclaw-rl.selector" -}}
app.kubernetes.io/name: openclaw-rl
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "openclaw-rl.labels" -}}
{{ include "openclaw-rl.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end }}

{{- define "openclaw-rl.metadata" -}}
name: {{ include "openclaw-rl.name" . }}
namespace: {{ (index . 0).Release.Namespace }}
labels:
  {{- include "openclaw-rl.labels" . | nindent 2 }}
{{- end }}

{{- define "openclaw-rl.image" -}}
{{- with (index . 0).Values.image -}}
{{ .repository }}/{{ index $ 1 }}:{{ .tag | default (index $ 0).Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* The Secret of a component: the one that is named, or the one that is called as the component. */}}
{{- define "openclaw-rl.secret" -}}
{{ (index . 2) | default (include "openclaw-rl.name" (list (index . 0) (index . 1))) }}
{{- end }}
