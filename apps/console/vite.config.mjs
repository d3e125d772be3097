import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

// Built into dist/apps/console/public, where the gateway looks for it.
export default defineConfig({
  root,
  base: '/console/',
  logLevel: 'warn',
  build: {
    outDir: join(root, '../../dist/apps/console/public'),
    emptyOutDir: true,
    // Everything is a file of its own: the policy of the page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
