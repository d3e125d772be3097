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
  // Imports while it runs, which Jest's loader needs as CommonJS as well.
  '@opentelemetry/otlp-exporter-base',
];

const swc = (syntax) => ['@swc/jest', { sourceMaps: 'inline', module: { type: 'commonjs' }, ...syntax }];

/** Spec files below some folders of this repository, wherever it lies: a folder above it may be called `apps` too. */
const specsBelow = (folders) => `^${__dirname.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}/(${folders})/.*\\.spec\\.ts$`;

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
    // Imported while it runs, by the name that it has in the build.
    '^\\./open-telemetry\\.js$': '<rootDir>/libs/tracing/src/open-telemetry.ts',
  },
};

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testRegex: specsBelow('apps|deploy|libs') },
    { ...base, displayName: 'integration', testRegex: specsBelow('test/integration') },
    { ...base, displayName: 'input', testRegex: specsBelow('test/input') },
    { ...base, displayName: 'e2e', testRegex: specsBelow('test/e2e') },
    { ...base, displayName: 'dashboards', testRegex: specsBelow('test/dashboards') },
    { ...base, displayName: 'compose', testRegex: specsBelow('test/compose') },
    { ...base, displayName: 'browser', testRegex: specsBelow('test/browser') },
    { ...base, displayName: 'crash', testRegex: specsBelow('test/crash') },
  ],
  testTimeout: 30_000,
};
