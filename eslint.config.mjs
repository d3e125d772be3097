import eslint from '@eslint/js';
import unicorn from 'eslint-plugin-unicorn';
import tseslint from 'typescript-eslint';

const files = ['**/*.{ts,tsx}'];

export default tseslint.config(
  { ignores: ['dist', 'coverage', '.openclaw-rl'] },
  eslint.configs.recommended,
  {
    files: ['**/*.{mjs,cjs,js}'],
    languageOptions: {
      globals: {
        performance: 'readonly',
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
      },
    },
  },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files })),
  {
    files,
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { unicorn },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      'no-console': 'error',
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@app/*/*'], message: 'Import a library by its name: @app/<lib>.' }] },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use an `as const` list and a union type.' },
        { selector: 'ExportAllDeclaration', message: 'Re-export by name.' },
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        {
          selector: "ThrowStatement > NewExpression[callee.name='Error']",
          message: 'Throw an error class of its own, one per meaning.',
        },
      ],
      // Nest declares its options objects as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'unicorn/filename-case': ['error', { case: 'kebabCase' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/settings-from.ts', 'test/integration/settings-from.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@app/config',
              importNames: ['loadSettings'],
              message: "Use settingsFrom of test/support: it does not read a developer's own openclaw-rl.toml.",
            },
          ],
          patterns: [{ group: ['@app/*/*'], message: 'Import a library by its name: @app/<lib>.' }],
        },
      ],
    },
  },
  {
    files: ['libs/{advantage,sample,chat,pocket-lm,experiment,scaling}/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', 'Date', 'fetch', 'setTimeout', 'setInterval', 'performance', 'process'],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Pass randomness in as a value.' },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['libs/bus/src/{settlement,document}.ts', '**/*.spec.ts', 'test/**', 'libs/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { property: 'ack', message: 'Messages are settled in libs/bus/src/settlement.ts only.' },
        { property: 'nak', message: 'Messages are settled in libs/bus/src/settlement.ts only.' },
        { property: 'term', message: 'Messages are settled in libs/bus/src/settlement.ts only.' },
        { object: 'Math', property: 'random', message: 'Use jitter() of @app/bus, or pass randomness in.' },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'libs/testing/**/*.ts', 'libs/*/src/testing/**/*.ts'],
    rules: {
      'no-restricted-syntax': 'off',
      'max-lines': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
);
