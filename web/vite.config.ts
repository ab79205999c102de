import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { subsetFonts } from './subset-fonts.ts'

const serverUrl = 'http://localhost:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), subsetFonts()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // `light-dark()` carries the whole theme; older targets would make the compiler expand every colour.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The content security policy allows data: for images only, so small assets must stay files.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Libraries change rarely and stay cached; what pages share is one file instead of thirty small ones.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/ },
            { name: 'shared', test: /src\/(?:api|ui|routes|pages\/shell)\// },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': serverUrl, '/v1': serverUrl, '/health': serverUrl, '/ready': serverUrl },
  },
})
