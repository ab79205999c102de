/**
 * Builds the documentation site into dist/guide. Runs when the repository is installed, so that `npm start` can serve it;
 * by hand after a document has changed.
 */
import { join } from 'node:path'
import { build } from 'vite'
import { interfaceTokens } from '../site/interface-tokens.ts'
import { BASE } from '../site/src/guide-pages.ts'
import { writeSite } from '../site/src/write-site.ts'

const site = join(import.meta.dirname, '../site')
const target = join(import.meta.dirname, '../dist/guide')

const built = await build({
  root: site,
  configFile: false,
  logLevel: 'warn',
  base: `${BASE}/`,
  // The fonts stay whole: reducing them would be most of the time of this build.
  plugins: [interfaceTokens()],
  build: {
    outDir: target,
    emptyOutDir: true,
    // The theme is `light-dark()`, which older targets would expand. The content security policy forbids inline files.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    rolldownOptions: { input: join(site, 'src/scripts/guide.ts') },
  },
})
writeSite(target, { script: addressOf('.js'), style: addressOf('.css') })

function addressOf(ending: string): string {
  if (!('output' in built)) throw new Error('build-guide: the scripts were not built')
  const file = built.output.find(({ fileName }) => fileName.endsWith(ending))
  if (!file) throw new Error(`build-guide: no file ${ending} was built`)
  return `${BASE}/${file.fileName}`
}
