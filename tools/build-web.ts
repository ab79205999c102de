/** Builds the web interface into dist/web. Runs when the repository is installed, so that `npm start` can serve it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

await build({ root: join(root, 'web'), logLevel: 'warn' })

// With the best quality, once: the files are a tenth smaller than what the server would compress for a request.
const assets = join(root, 'dist/web/assets')
const files = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))
await Promise.all(
  files.map(async (name) => {
    const bytes = readFileSync(join(assets, name))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(assets, `${name}.br`), await promisify(brotliCompress)(bytes, { params }))
  }),
)
