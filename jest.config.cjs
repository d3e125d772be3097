// Nest 12 and the NATS clients are ESM-only; Jest's module loader needs them as CommonJS.
const esmOnly = [
  '@nestjs',
  '@nats-io',
  '@huggingface',
  'smol-toml',
  'hyparquet',
  'hyparquet-writer',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
];

const swc = (syntax) => ['@swc/jest', { sourceMaps: 'inline', module: { type: 'commonjs' }, ...syntax }];

const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.openclaw-rl'],
  transform: {
    '^.+\\.ts$': swc({
      jsc: {
        target: 'es2022',
        keepClassNames: true,
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
    }),
    'node_modules/.+\\.m?js$': swc({ jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } } }),
  },
  transformIgnorePatterns: [`node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: {
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src',
    // Threads start from a file on the disk, which the build would have made.
    '^\\./render-worker-file$': '<rootDir>/test/support/render-worker-file.ts',
  },
};

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testRegex: '(apps|deploy|libs)/.*\\.spec\\.ts$' },
    { ...base, displayName: 'integration', testRegex: 'test/integration/.*\\.spec\\.ts$' },
    { ...base, displayName: 'input', testRegex: 'test/input/.*\\.spec\\.ts$' },
    { ...base, displayName: 'e2e', testRegex: 'test/e2e/.*\\.spec\\.ts$' },
    { ...base, displayName: 'dashboards', testRegex: 'test/dashboards/.*\\.spec\\.ts$' },
    { ...base, displayName: 'compose', testRegex: 'test/compose/.*\\.spec\\.ts$' },
    { ...base, displayName: 'crash', testRegex: 'test/crash/.*\\.spec\\.ts$' },
  ],
  testTimeout: 30_000,
};
