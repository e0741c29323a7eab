import type { InlineConfig, Rollup } from 'vite'

/** Packages mark their files for servers of components; in a browser the mark says nothing. */
function warn(warning: Rollup.RollupLog, tell: (warning: Rollup.RollupLog) => void): void {
  if (warning.code === 'MODULE_LEVEL_DIRECTIVE' || warning.code === 'SOURCEMAP_ERROR') return
  tell(warning)
}

/** Named and not the default: only build.ts reads it. */
export const config: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  // The service serves the folder public by itself.
  publicDir: false,
  logLevel: 'warn',
  esbuild: { jsx: 'automatic', legalComments: 'none' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The library and the frame in one file: measured by its compressed size in the tests instead.
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    rollupOptions: { onwarn: warn },
  },
}
