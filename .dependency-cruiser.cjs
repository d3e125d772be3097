const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const pure = '^libs/(advantage|sample|chat)/';

/** Rows of ARCHITECTURE.md's table of libs: the name, and the column of what it may import. */
const libs = readFileSync(join(__dirname, 'ARCHITECTURE.md'), 'utf8')
  .split(/^\| lib .*$/m)[1]
  .split('\n\n')[0]
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .filter(([, name]) => /^[a-z]/.test(name ?? ''))
  .map(([, name, , column]) => ({ name, column }));

/** A lib imports itself and what its row names. Tests may set up more; the testing lib drives all that it wants to. */
const mayImport = libs
  .filter(({ name }) => name !== 'testing')
  .map(({ name, column }) => ({
    name: `${name}-imports-what-ARCHITECTURE.md-says`,
    severity: 'error',
    from: { path: `^libs/${name}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: '^libs/', pathNot: `^libs/(${[name, ...(column.match(/[a-z]+(-[a-z]+)*/g) ?? [])].join('|')})/` },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...mayImport,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'the-console-knows-contracts-alone',
      comment: 'And those as types only: what runs in a browser is a client.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^libs/', pathNot: '^libs/contracts/' },
    },
    {
      name: 'the-console-takes-types-only',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^libs/', dependencyTypesNot: ['type-only'] },
    },
    { name: 'libs-never-import-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'apps-never-import-apps',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'pure-libs-import-nothing',
      comment:
        'advantage, sample and chat know neither Nest nor NATS nor clocks; node:crypto hashes the message chain.',
      severity: 'error',
      from: { path: pure, pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/$1/', '^libs/(advantage|sample|chat)/', '^(node:)?crypto$'] },
    },
    {
      name: 'pocket-lm-is-pure',
      comment:
        'The small model knows neither files nor clocks nor the rest of the project; node:crypto hashes its tokenizer.',
      severity: 'error',
      from: { path: '^libs/pocket-lm/src/', pathNot: ['\\.spec\\.ts$', '^libs/pocket-lm/src/testing/'] },
      to: {
        pathNot: [
          '^libs/pocket-lm/src/(?!testing/)',
          '^(node:)?crypto$',
          '^node_modules/@huggingface/(jinja|tokenizers)/',
        ],
      },
    },
    {
      name: 'tracing-alone-knows-opentelemetry',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: ['^libs/tracing/src/(open-telemetry|bounded-spans)\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: '^node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'opentelemetry-is-loaded-where-tracing-is-on',
      comment: 'By an import that runs when it is asked for; types cost nothing.',
      severity: 'error',
      from: { pathNot: ['^libs/tracing/src/open-telemetry\\.ts$', '\\.spec\\.ts$'] },
      to: {
        path: '^libs/tracing/src/(open-telemetry|bounded-spans)\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'product-never-imports-testing',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/testing/', '\\.spec\\.ts$'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-packages-in-the-product',
      comment: 'What the console imports is in its files when it is built.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/testing/', '^apps/console/', '\\.spec\\.ts$'] },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
