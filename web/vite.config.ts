import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { subsetFonts } from './subset-fonts.ts'

const serverUrl = 'http://localhost:3000'

const firstParts = /src\/(?:api|ui|routes|pages\/shell)\/|node_modules\/lucide-react/
const lazyParts = /src\/ui\/(?:charts|data-table|json-view|diff-text)\/|src\/ui\/peek-panel/
/** Needed by every page. Other libraries load with the pages that need them. */
const firstLibraries =
  /node_modules\/(?:react|react-dom|scheduler|@radix-ui\/react-(?:slot|compose-refs)|tinykeys|openapi-fetch|@tanstack\/(?:react-)?(?:query|router|history|store)[\w-]*|use-sync-external-store|seroval[\w-]*|cookie-es|isbot|tiny-\w+)\//

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), subsetFonts()],
  resolve: {
    alias: {
      // Its version for browsers sets innerHTML, which the content security policy forbids.
      'decode-named-character-reference': fileURLToPath(
        new URL('../node_modules/decode-named-character-reference/index.js', import.meta.url),
      ),
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // `light-dark()` carries the whole theme; older targets would make the compiler expand every colour.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The content security policy allows data: for images only, so small assets must stay files.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Libraries change rarely and stay cached; what most pages share is one file instead of thirty small ones. Parts
        // and libraries that only some pages need load with these pages. test/tools/first-load.test.ts limits the sum.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: firstLibraries },
            { name: 'shared', test: (id) => firstParts.test(id) && !lazyParts.test(id), minShareCount: 8 },
            { name: 'rows', test: /src\/ui\/data-table\/use-row-window|node_modules\/@tanstack\/(?:react-)?virtual/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': serverUrl, '/v1': serverUrl, '/health': serverUrl, '/ready': serverUrl },
  },
})
