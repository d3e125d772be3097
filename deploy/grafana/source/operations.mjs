import { dashboard, panel } from './panel.mjs';

export const operations = dashboard('openclaw-rl-operations', {
  title: 'OpenClaw-RL: operations',
  description: 'Processes, queues and disk.',
  panels: [
    panel('Replicas', {
      description: 'Replicas of each service that answer to Prometheus.',
      unit: 'short',
      queries: { '{{job}}': 'sum by (job) (up)' },
    }),
    panel('NATS reached', {
      description: '1 for each replica that is connected to NATS.',
      unit: 'short',
      queries: { '{{job}} {{instance}}': 'openclaw_rl_bus_up' },
    }),
    panel('Messages that wait', {
      description: 'Messages that no replica of a consumer has taken yet. It should return to zero.',
      unit: 'short',
      queries: { '{{consumer}} {{stream}}': 'job:openclaw_rl_consumer_pending:max' },
    }),
    panel('Messages in hand', {
      description: 'Messages that are being worked on, or wait for another try.',
      unit: 'short',
      queries: { '{{consumer}} {{stream}}': 'max by (consumer, stream) (openclaw_rl_consumer_unsettled)' },
    }),
    panel('Failed deliveries', {
      description: 'Deliveries a second whose handler failed, by kind of error. Most are tried again and succeed.',
      unit: 'ops',
      queries: {
        '{{job}} {{error}}': 'sum by (job, error) (rate(openclaw_rl_handler_errors_total[$__rate_interval]))',
      },
    }),
    panel('Store', {
      description: 'How full each stream is. At 100% its oldest messages go before their time.',
      unit: 'percentunit',
      queries: { '{{stream}}': 'job:openclaw_rl_store:ratio' },
    }),
    panel('Store in bytes', {
      description: 'Bytes on disk of streams and buckets.',
      unit: 'bytes',
      stacked: true,
      queries: { '{{stream}}': 'max by (stream) (openclaw_rl_store_bytes)' },
    }),
    panel('Event loop', {
      description:
        'How late each process is with its work, 99% of the time. Above half a second it needs more CPU or company.',
      unit: 's',
      queries: { '{{job}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
    }),
    panel('CPU', {
      description: 'Cores that each process uses.',
      unit: 'short',
      queries: { '{{job}} {{instance}}': 'rate(process_cpu_seconds_total[$__rate_interval])' },
    }),
    panel('Memory', {
      description: 'Resident memory of each process; the limits stand in deploy/docker-compose.yml.',
      unit: 'bytes',
      queries: { '{{job}} {{instance}}': 'process_resident_memory_bytes' },
    }),
    panel('Records', {
      description: 'Records a second by result, where records are switched on.',
      unit: 'ops',
      queries: { '{{result}}': 'sum by (result) (rate(openclaw_rl_records_total[$__rate_interval]))' },
    }),
    panel('Ends of sessions', {
      description: 'Sessions that ended, a second, by cause.',
      unit: 'ops',
      queries: { '{{cause}}': 'sum by (cause) (rate(openclaw_rl_sessions_ended_total[$__rate_interval]))' },
    }),
  ],
});
