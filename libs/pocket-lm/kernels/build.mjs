// Compiles the kernels (AssemblyScript) to WebAssembly and keeps the bytes, as base64, in src/runtime/kernels.wasm.json:
//   npm run pocket:kernels            writes them
//   npm run pocket:kernels -- --check says whether they are those of the sources
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = fileURLToPath(new URL('.', import.meta.url));
const target = fileURLToPath(new URL('../src/runtime/kernels.wasm.json', import.meta.url));

const compile = async () => {
  let bytes;
  const { error, stderr } = await asc.main(
    // No FMA of relaxed SIMD: it would give other numbers on other machines.
    [
      'index.ts',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd',
      '--importMemory',
      '--initialMemory',
      '1',
      '-o',
      'kernels.wasm',
    ],
    {
      readFile: (name) => {
        try {
          // The compiler asks for .ts; here that name is for TypeScript.
          return readFileSync(`${folder}${name.replace(/\.ts$/, '.as')}`, 'utf8');
        } catch {
          return null;
        }
      },
      writeFile: (_, contents) => (bytes = contents),
      listFiles: () => [],
    },
  );
  if (error) throw new Error(stderr.toString(), { cause: error });
  return JSON.stringify({ base64: Buffer.from(bytes).toString('base64') }) + '\n';
};

const built = await compile();
if (!process.argv.includes('--check')) writeFileSync(target, built);
else if (readFileSync(target, 'utf8') !== built) {
  process.stderr.write('src/runtime/kernels.wasm.json is not of these sources: run "npm run pocket:kernels".\n');
  process.exitCode = 1;
}
