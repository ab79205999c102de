/** Builds the web interface into dist/web. Runs when the repository is installed, so that `npm start` can serve it. */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

await build({ root: fileURLToPath(new URL('../web', import.meta.url)), logLevel: 'warn' })
