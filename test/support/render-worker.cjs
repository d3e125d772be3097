// Runs the render worker from its TypeScript source: Node's threads know nothing of Jest's transforms.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const libs = join(__dirname, '..', '..', 'libs');

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
  resolve(request.startsWith('@app/') ? join(libs, request.slice(5), 'src', 'index.ts') : request, ...rest);

Module._extensions['.ts'] = (module, file) => {
  const options = {
    filename: file,
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  };
  module._compile(transformSync(readFileSync(file, 'utf8'), options).code, file);
};

require(join(libs, 'tokens', 'src', 'pool', 'render-worker.ts'));
