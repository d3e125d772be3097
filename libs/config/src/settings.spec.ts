import { CATALOGUE } from './catalogue';
import { loadSettings } from './load-settings';
import { SettingsError } from './settings-error';
import type { Environment } from './sources';

interface Case {
  readonly path: string;
  readonly default: unknown;
  /** As written in the file, and as read. */
  readonly toml: readonly [text: string, value: unknown];
  /** As written in the variable, and as read. */
  readonly env: readonly [text: string, value: unknown];
  /** Texts of the file that are refused. */
  readonly refused: readonly string[];
  readonly aliases?: readonly string[];
  /** What must be configured as well for the value to make sense. */
  readonly beside?: Environment;
}

const POLICY = { OPENCLAW_RL_SERVER_BASE_URL: 'http://policy:8000', OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' };

const CASES: readonly Case[] = [
  {
    path: 'rl.algorithm',
    default: 'binary',
    toml: ['"opd"', 'opd'],
    env: ['combine', 'hybrid'],
    refused: ['"ppo"', '"Binary"', '1'],
  },
  {
    path: 'rl.binary_reward_weight',
    default: 1,
    toml: ['0.5', 0.5],
    env: ['2', 2],
    refused: ['-1', '1001', '"1"'],
    aliases: ['OPENCLAW_COMBINE_W_RL'],
  },
  {
    path: 'rl.opd_weight',
    default: 1,
    toml: ['0', 0],
    env: ['0.1', 0.1],
    refused: ['-0.5', 'nan'],
    aliases: ['OPENCLAW_COMBINE_W_OPD'],
  },
  {
    path: 'rl.eval_mode',
    default: false,
    toml: ['true', true],
    env: ['1', true],
    refused: ['"yes"', '1'],
    aliases: ['OPENCLAW_EVAL_MODE'],
  },
  { path: 'rl.rollout_steps', default: 16, toml: ['8', 8], env: ['4', 4], refused: ['0', '1.5', '"8"', '4097'] },
  { path: 'rl.update_interval', default: 1, toml: ['2', 2], env: ['4', 4], refused: ['0', '1.5'] },
  { path: 'rl.max_staleness', default: 2, toml: ['0', 0], env: ['5', 5], refused: ['-1', '0.5'] },
  {
    path: 'server.base_url',
    default: null,
    toml: ['"http://a:1/v1/"', 'http://a:1'],
    env: ['https://b/openai/v1', 'https://b/openai'],
    refused: ['"a:1"', '"ftp://a"', '7'],
    beside: { OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' },
  },
  {
    path: 'server.api_key_env',
    default: null,
    toml: ['"KEY_A"', 'KEY_A'],
    env: ['KEY_B', 'KEY_B'],
    refused: ['"sk-not-a-name"', '1'],
    beside: { ...POLICY, KEY_A: 'a', KEY_B: 'b' },
  },
  {
    path: 'server.policy_model',
    default: null,
    toml: ['"m"', 'm'],
    env: ['n', 'n'],
    refused: ['1', '["m"]'],
    beside: { OPENCLAW_RL_SERVER_BASE_URL: 'http://policy:8000' },
  },
  {
    path: 'server.judge_model',
    default: null,
    toml: ['"j"', 'j'],
    env: ['k', 'k'],
    refused: ['false'],
    beside: POLICY,
  },
  {
    path: 'server.judge_base_url',
    default: null,
    toml: ['"http://j:1"', 'http://j:1'],
    env: ['http://k:1/v1', 'http://k:1'],
    refused: ['"judge"'],
    beside: { OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j' },
  },
  {
    path: 'server.judge_api_key_env',
    default: null,
    toml: ['"KEY_A"', 'KEY_A'],
    env: ['KEY_B', 'KEY_B'],
    refused: ['"a b"'],
    beside: { ...POLICY, KEY_A: 'a', KEY_B: 'b' },
  },
  { path: 'server.tokenizer', default: null, toml: ['"models/a"', 'models/a'], env: ['b', 'b'], refused: ['1'] },
  {
    path: 'server.served_model_name',
    default: 'openclaw-rl',
    toml: ['"x"', 'x'],
    env: ['y', 'y'],
    refused: ['""', '1'],
    aliases: ['SERVED_MODEL_NAME'],
  },
  {
    path: 'server.temperature',
    default: null,
    toml: ['0.5', 0.5],
    env: ['1', 1],
    refused: ['-0.1', '2.1', '"0.5"', 'nan'],
  },
  { path: 'server.top_p', default: null, toml: ['0.9', 0.9], env: ['1', 1], refused: ['0', '1.1'] },
  { path: 'server.top_k', default: null, toml: ['-1', -1], env: ['50', 50], refused: ['-2', '1.5'] },
  {
    path: 'gateway.host',
    default: '127.0.0.1',
    toml: ['"localhost"', 'localhost'],
    env: ['::1', '::1'],
    refused: ['"a b"', '1'],
    aliases: ['HOST'],
  },
  {
    path: 'gateway.port',
    default: 30_000,
    toml: ['0', 0],
    env: ['8080', 8080],
    refused: ['-1', '65536', '"8080"'],
    aliases: ['PORT'],
  },
  {
    path: 'gateway.api_keys',
    default: [],
    toml: ['["a", "b"]', ['a', 'b']],
    env: ['c, d', ['c', 'd']],
    refused: ['"a"', '["a b"]', '["a", "a"]', '[1]'],
  },
  {
    path: 'gateway.api_keys_file',
    default: null,
    toml: ['"keys.txt"', 'keys.txt'],
    env: ['keys.txt', 'keys.txt'],
    refused: ['1', '"missing.txt"'],
  },
  {
    path: 'gateway.allow_unauthenticated',
    default: false,
    toml: ['true', true],
    env: ['1', true],
    refused: ['"true"', '1'],
  },
  { path: 'gateway.body_limit_mb', default: 32, toml: ['1', 1], env: ['64', 64], refused: ['0', '1025'] },
  { path: 'gateway.max_concurrency', default: 256, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  { path: 'gateway.connect_timeout_s', default: 5, toml: ['0.5', 0.5], env: ['10', 10], refused: ['0', '601'] },
  { path: 'gateway.first_byte_timeout_s', default: 300, toml: ['0.5', 0.5], env: ['10', 10], refused: ['0'] },
  { path: 'gateway.idle_timeout_s', default: 120, toml: ['0.5', 0.5], env: ['10', 10], refused: ['0'] },
  { path: 'gateway.capture_buffer_mb', default: 64, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  {
    path: 'nats.url',
    default: 'nats://127.0.0.1:4222',
    toml: ['"nats://a:1"', 'nats://a:1'],
    env: ['nats://b:1,tls://c:2', 'nats://b:1,tls://c:2'],
    refused: ['"http://a"', '"a:4222"'],
    aliases: ['NATS_URL'],
  },
  { path: 'nats.store_gb', default: 10, toml: ['0.5', 0.5], env: ['100', 100], refused: ['0'] },
  { path: 'nats.replicas', default: 1, toml: ['3', 3], env: ['3', 3], refused: ['0', '6'] },
  { path: 'session.idle_minutes', default: 30, toml: ['0.5', 0.5], env: ['.01', 0.01], refused: ['0', '1441'] },
  { path: 'session.answer_minutes', default: 60, toml: ['0.5', 0.5], env: ['.01', 0.01], refused: ['0', '1441'] },
  {
    path: 'session.heartbeat_prompts',
    default: [],
    toml: ['["Check, then tell."]', ['Check, then tell.']],
    env: ['Check the mail, then rest.\n\n Look', ['Check the mail, then rest.', 'Look']],
    refused: ['[""]', '["a", "a"]', '"a"'],
  },
  { path: 'judge.votes', default: 3, toml: ['1', 1], env: ['5', 5], refused: ['0', '65', '2.5'], aliases: ['PRM_M'] },
  { path: 'judge.timeout_s', default: 60, toml: ['0.5', 0.5], env: ['30', 30], refused: ['0'] },
  { path: 'judge.max_attempts', default: 4, toml: ['1', 1], env: ['2', 2], refused: ['0', '21'] },
  { path: 'judge.concurrency', default: 16, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  { path: 'judge.max_tokens', default: 1024, toml: ['16', 16], env: ['2048', 2048], refused: ['15'] },
  { path: 'judge.temperature', default: 0.6, toml: ['0', 0], env: ['1.5', 1.5], refused: ['-1', '3'] },
  {
    path: 'judge.format',
    default: 'auto',
    toml: ['"boxed"', 'boxed'],
    env: ['json_schema', 'json_schema'],
    refused: ['"xml"', '"Boxed"'],
  },
  { path: 'judge.breaker_failures', default: 5, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  { path: 'judge.breaker_open_s', default: 10, toml: ['0.5', 0.5], env: ['2', 2], refused: ['0'] },
  { path: 'opd.max_hint_tokens', default: 128, toml: ['160', 160], env: ['64', 64], refused: ['15', '4097', '1.5'] },
  {
    path: 'opd.teacher',
    default: 'auto',
    toml: ['"policy"', 'policy'],
    env: ['http://t:1', 'http://t:1'],
    refused: ['"judge"', '""', '1'],
  },
  {
    path: 'opd.teacher_model',
    default: null,
    toml: ['"m"', 'm'],
    env: ['n', 'n'],
    refused: ['1'],
  },
  {
    path: 'opd.teacher_api_key_env',
    default: null,
    toml: ['"KEY_A"', 'KEY_A'],
    env: ['KEY_B', 'KEY_B'],
    refused: ['"a b"'],
    beside: { KEY_A: 'a', KEY_B: 'b' },
  },
  {
    path: 'opd.teacher_concurrency',
    default: 3,
    toml: ['1', 1],
    env: ['8', 8],
    refused: ['0'],
    aliases: ['OPENCLAW_OPD_TEACHER_LP_MAX_CONCURRENCY'],
  },
  { path: 'opd.teacher_timeout_s', default: 120, toml: ['0.5', 0.5], env: ['30', 30], refused: ['0'] },
  { path: 'opd.teacher_temperature', default: 1, toml: ['1', 1], env: ['1.0', 1], refused: ['-1', '2.5'] },
  { path: 'opd.student_temperature', default: null, toml: ['1', 1], env: ['1.0', 1], refused: ['-1', '"1"'] },
  { path: 'opd.distill_topk', default: 0, toml: ['50', 50], env: ['8', 8], refused: ['-1', '65'] },
  { path: 'reward.integrated', default: false, toml: ['true', true], env: ['1', true], refused: ['"yes"', '1'] },
  { path: 'reward.outcome_weight', default: 1, toml: ['0.5', 0.5], env: ['2', 2], refused: ['-1', '1001', '"1"'] },
  { path: 'reward.process_weight', default: 1, toml: ['0', 0], env: ['0.5', 0.5], refused: ['-1', '1001'] },
  { path: 'reward.outcome_wait_s', default: 600, toml: ['0', 0], env: ['1.5', 1.5], refused: ['-1', '43201'] },
  {
    path: 'reward.step_scale',
    default: 'std',
    toml: ['"none"', 'none'],
    env: ['std', 'std'],
    refused: ['"mean"', '1'],
  },
  { path: 'reward.step_epsilon', default: 1e-6, toml: ['1e-4', 1e-4], env: ['0.5', 0.5], refused: ['0', '1001'] },
  {
    path: 'reward.step_singleton',
    default: 'reward',
    toml: ['"zero"', 'zero'],
    env: ['reward', 'reward'],
    refused: ['"none"', '0'],
  },
  { path: 'slime.queue_size', default: 1024, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  { path: 'slime.num_workers', default: 4, toml: ['1', 1], env: ['2', 2], refused: ['0'] },
  { path: 'slime.colocate', default: false, toml: ['true', true], env: ['1', true], refused: ['"yes"'] },
  {
    path: 'pools.gpus',
    default: 8,
    toml: ['4', 4],
    env: ['16', 16],
    refused: ['0', '1.5'],
    aliases: ['NUM_GPUS'],
  },
  {
    path: 'pools.trainer_gpus',
    default: null,
    toml: ['"0-3"', '0-3'],
    env: ['2', 2],
    refused: ['"4"', '-1', '1.5', '"a-b"', '[0, 1]'],
    aliases: ['ACTOR_GPUS'],
  },
  {
    path: 'pools.policy_gpus',
    default: null,
    toml: ['"4,6"', '4,6'],
    env: ['4-4', '4-4'],
    refused: ['"4-"'],
    aliases: ['ROLLOUT_GPUS'],
  },
  {
    path: 'pools.prm_gpus',
    default: null,
    toml: ['0', 0],
    env: ['6-7', '6-7'],
    refused: ['true'],
    aliases: ['PRM_GPUS'],
  },
  { path: 'pools.trainer_tp', default: null, toml: ['2', 2], env: ['1', 1], refused: ['0'] },
  { path: 'pools.policy_tp', default: null, toml: ['2', 2], env: ['1', 1], refused: ['0'] },
  { path: 'pools.prm_tp', default: null, toml: ['2', 2], env: ['1', 1], refused: ['0.5'] },
  {
    path: 'pools.policy_engines',
    default: [],
    toml: ['["http://a:1/v1/", "http://b:1"]', ['http://a:1', 'http://b:1']],
    env: ['http://a:1, http://b:1', ['http://a:1', 'http://b:1']],
    refused: ['"http://a:1"', '["a"]', '["http://a:1", "http://a:1"]'],
    beside: { OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' },
  },
  {
    path: 'pools.policy_router',
    default: false,
    toml: ['true', true],
    env: ['1', true],
    refused: ['"yes"'],
    beside: POLICY,
  },
  {
    path: 'pools.prm_engines',
    default: [],
    toml: ['["http://a:1"]', ['http://a:1']],
    env: ['http://a:1,http://b:1', ['http://a:1', 'http://b:1']],
    refused: ['["ftp://a:1"]'],
    beside: { OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j' },
  },
  { path: 'pools.check_every_s', default: 2, toml: ['0.5', 0.5], env: ['60', 60], refused: ['0', '3601'] },
  { path: 'pools.eject_failures', default: 3, toml: ['1', 1], env: ['5', 5], refused: ['0', '1.5'] },
  { path: 'pools.eject_s', default: 10, toml: ['0.5', 0.5], env: ['60', 60], refused: ['0'] },
  { path: 'gate.hold_s', default: 45, toml: ['0', 0], env: ['0.5', 0.5], refused: ['-1', '3601'] },
  { path: 'gate.hold_streams', default: false, toml: ['true', true], env: ['1', true], refused: ['"yes"'] },
  { path: 'gate.hold_max_s', default: 900, toml: ['0.5', 0.5], env: ['60', 60], refused: ['-1'] },
  {
    path: 'gate.pause',
    default: 'in_place',
    toml: ['"retract"', 'retract'],
    env: ['drain', 'drain'],
    refused: ['"abort"', '1'],
  },
  { path: 'gate.drain_timeout_s', default: 30, toml: ['0', 0], env: ['0.5', 0.5], refused: ['-1'] },
  { path: 'gate.lease_s', default: 60, toml: ['1', 1], env: ['3600', 3600], refused: ['0', '3601'] },
  { path: 'gate.load_timeout_s', default: 600, toml: ['0.5', 0.5], env: ['60', 60], refused: ['0'] },
  {
    path: 'door.host',
    default: '127.0.0.1',
    toml: ['"127.0.0.2"', '127.0.0.2'],
    env: ['localhost', 'localhost'],
    refused: ['""'],
  },
  { path: 'door.port', default: 30_100, toml: ['0', 0], env: ['8081', 8081], refused: ['65536'] },
  { path: 'door.api_keys', default: [], toml: ['["a"]', ['a']], env: ['b', ['b']], refused: ['"a"'] },
  {
    path: 'door.api_keys_file',
    default: null,
    toml: ['"keys.txt"', 'keys.txt'],
    env: ['keys.txt', 'keys.txt'],
    refused: ['"missing.txt"', '"empty.txt"'],
  },
  { path: 'door.lease_s', default: 600, toml: ['1', 1], env: ['3600', 3600], refused: ['0', '3601'] },
  { path: 'console.enabled', default: true, toml: ['false', false], env: ['false', false], refused: ['"no"'] },
  { path: 'console.viewer_keys', default: [], toml: ['["a"]', ['a']], env: ['b', ['b']], refused: ['"a"'] },
  { path: 'console.operator_keys', default: [], toml: ['["a"]', ['a']], env: ['b', ['b']], refused: ['"a"'] },
  {
    path: 'trainer.backend',
    default: 'file',
    toml: ['"pocket"', 'pocket'],
    env: ['file', 'file'],
    refused: ['"slime"'],
  },
  { path: 'trainer.name', default: 'trainer', toml: ['"a"', 'a'], env: ['b', 'b'], refused: ['"a b"', '1'] },
  {
    path: 'trainer.door_url',
    default: null,
    toml: ['"http://d:1"', 'http://d:1'],
    env: ['http://e:1', 'http://e:1'],
    refused: ['"d:1"'],
  },
  {
    path: 'trainer.door_key_env',
    default: null,
    toml: ['"KEY_A"', 'KEY_A'],
    env: ['KEY_B', 'KEY_B'],
    refused: ['"a b"'],
    beside: { KEY_A: 'a', KEY_B: 'b' },
  },
  { path: 'trainer.dir', default: '.openclaw-rl/batches', toml: ['"b"', 'b'], env: ['c', 'c'], refused: ['""'] },
  {
    path: 'trainer.format',
    default: 'both',
    toml: ['"jsonl"', 'jsonl'],
    env: ['parquet', 'parquet'],
    refused: ['"csv"'],
  },
  {
    path: 'training.weights_dir',
    default: '.openclaw-rl/weights',
    toml: ['"w"', 'w'],
    env: ['v', 'v'],
    refused: ['""'],
  },
  { path: 'training.checkpoint_every', default: 10, toml: ['1', 1], env: ['5', 5], refused: ['0', '1.5'] },
  { path: 'training.steps_per_batch', default: 1, toml: ['2', 2], env: ['3', 3], refused: ['0', '101'] },
  { path: 'training.learning_rate', default: 0.0015, toml: ['0', 0], env: ['1e-4', 1e-4], refused: ['-1', '1.1'] },
  { path: 'training.beta1', default: 0.9, toml: ['0', 0], env: ['0.5', 0.5], refused: ['1', '-0.1'] },
  { path: 'training.beta2', default: 0.95, toml: ['0', 0], env: ['0.999', 0.999], refused: ['1', '-0.1'] },
  { path: 'training.epsilon', default: 0.01, toml: ['1', 1], env: ['1e-8', 1e-8], refused: ['0', '2'] },
  { path: 'training.weight_decay', default: 0, toml: ['1', 1], env: ['0.01', 0.01], refused: ['-1', '2'] },
  { path: 'training.max_gradient_norm', default: 1, toml: ['2', 2], env: ['0.5', 0.5], refused: ['0'] },
  { path: 'training.clip_low', default: 0.2, toml: ['0', 0], env: ['0.3', 0.3], refused: ['-0.1', '1.1'] },
  { path: 'training.clip_high', default: 0.28, toml: ['0', 0], env: ['2', 2], refused: ['-0.1', '101'] },
  { path: 'training.dual_clip', default: null, toml: ['3', 3], env: ['5', 5], refused: ['1', '0'] },
  { path: 'training.kl_coefficient', default: 0.02, toml: ['0', 0], env: ['0.1', 0.1], refused: ['-1'] },
  { path: 'training.kl_estimator', default: 'low_var_kl', toml: ['"k1"', 'k1'], env: ['k3', 'k3'], refused: ['"k4"'] },
  { path: 'training.entropy_coefficient', default: 0, toml: ['1', 1], env: ['0.01', 0.01], refused: ['-1'] },
  { path: 'training.distillation_coefficient', default: 1, toml: ['0', 0], env: ['0.5', 0.5], refused: ['-1'] },
  {
    path: 'training.reduction',
    default: 'sample_mean',
    toml: ['"token_sum"', 'token_sum'],
    env: ['sample_mean', 'sample_mean'],
    refused: ['"mean"'],
  },
  {
    path: 'training.held_out_prompts',
    default: [],
    toml: ['["What is 3 + 4?"]', ['What is 3 + 4?']],
    env: ['What is 3 + 4?\nAnd then?', ['What is 3 + 4?', 'And then?']],
    refused: [
      '"one"',
      '[" "]',
      `["${'x'.repeat(1001)}"]`,
      JSON.stringify(Array.from({ length: 9 }, (_, i) => `prompt ${i}`)),
    ],
  },
  {
    path: 'pocket.host',
    default: '127.0.0.1',
    toml: ['"0.0.0.0"', '0.0.0.0'],
    env: ['localhost', 'localhost'],
    refused: ['"a b"'],
  },
  { path: 'pocket.port', default: 30_001, toml: ['0', 0], env: ['8000', 8000], refused: ['65536'] },
  {
    path: 'pocket.model_dir',
    default: 'libs/pocket-lm/weights',
    toml: ['"b"', 'b'],
    env: ['c', 'c'],
    refused: ['""'],
  },
  { path: 'pocket.streams', default: 16, toml: ['1', 1], env: ['32', 32], refused: ['0', '129'] },
  { path: 'pocket.judge_model', default: 'pocket-judge', toml: ['"j"', 'j'], env: ['k', 'k'], refused: ['""'] },
  {
    path: 'pocket.served_file',
    default: '.openclaw-rl/pocket-engine.json',
    toml: ['"f"', 'f'],
    env: ['g', 'g'],
    refused: ['""'],
  },
  {
    path: 'records.enabled',
    default: false,
    toml: ['true', true],
    env: ['TRUE', true],
    refused: ['"yes"'],
    aliases: ['OPENCLAW_RECORD_ENABLED'],
  },
  { path: 'records.dir', default: '.openclaw-rl/records', toml: ['"r"', 'r'], env: ['s', 's'], refused: ['""'] },
  { path: 'records.keep_versions', default: 0, toml: ['1', 1], env: ['2', 2], refused: ['-1'] },
  { path: 'logs.level', default: 'info', toml: ['"debug"', 'debug'], env: ['warn', 'warn'], refused: ['"verbose"'] },
  { path: 'logs.format', default: 'text', toml: ['"json"', 'json'], env: ['json', 'json'], refused: ['"xml"'] },
  { path: 'metrics.host', default: '127.0.0.1', toml: ['"0.0.0.0"', '0.0.0.0'], env: ['::', '::'], refused: ['1'] },
  {
    path: 'metrics.port',
    default: 0,
    toml: ['9100', 9100],
    env: ['9101', 9101],
    refused: ['65536'],
    aliases: ['METRICS_PORT'],
  },
  { path: 'tracing.enabled', default: false, toml: ['true', true], env: ['1', true], refused: ['"on"', '1'] },
  {
    path: 'tracing.endpoint',
    default: 'http://127.0.0.1:4318',
    toml: ['"http://collector:4318"', 'http://collector:4318'],
    env: ['https://c.example.com/otlp', 'https://c.example.com/otlp'],
    refused: ['"collector:4318"', '"grpc://collector:4317"', '4318'],
  },
  { path: 'tracing.sample_ratio', default: 1, toml: ['0.1', 0.1], env: ['0', 0], refused: ['-0.1', '1.5', '"1"'] },
];

const FILES: Readonly<Record<string, string>> = { 'keys.txt': '# one a line\nfrom-file\n', 'empty.txt': '# none\n' };

function load(env: Environment, toml = ''): unknown {
  const files: Record<string, string> = { ...FILES, 'openclaw-rl.toml': toml };
  return loadSettings(env, (path) => files[path] ?? null);
}

function valueAt(path: string, env: Environment, toml = ''): unknown {
  const [section = '', key = ''] = path.split('.');
  const property = key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (load(env, toml) as Record<string, Record<string, unknown>>)[section]?.[property];
}

function fileWith(path: string, text: string): string {
  const [section, key] = path.split('.');
  return `[${section}]\n${key} = ${text}\n`;
}

function problemsOf(env: Environment, toml = ''): readonly string[] {
  try {
    load(env, toml);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const ownVariable = (path: string): string => `OPENCLAW_RL_${path.replace('.', '_').toUpperCase()}`;

test('the cases name every setting once', () => {
  expect(CASES.map((entry) => entry.path)).toEqual(CATALOGUE.map((entry) => entry.path));
});

describe.each(CASES)('$path', ({ path, default: byDefault, toml, env, refused, aliases = [], beside = {} }) => {
  test('has its default when nothing is configured', () => {
    expect(valueAt(path, {})).toEqual(byDefault);
  });

  test('is read from the file', () => {
    expect(valueAt(path, beside, fileWith(path, toml[0]))).toEqual(toml[1]);
  });

  test.each([ownVariable(path), ...aliases])('is read from %s, which wins over the file', (variable) => {
    expect(valueAt(path, { ...beside, [variable]: ` ${env[0]} ` }, fileWith(path, toml[0]))).toEqual(env[1]);
  });

  test.each(refused)('refuses %s and names setting and variable', (text) => {
    const problems = problemsOf(beside, fileWith(path, text)).filter((problem) => problem.startsWith(`${path} (`));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(ownVariable(path));
  });
});
