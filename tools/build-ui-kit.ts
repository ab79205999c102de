/**
 * Builds the page with all parts of the interface into a folder. It is no part of the product: `build-web.ts` does not
 * know it.
 *
 * Usage: node tools/build-ui-kit.ts <folder>
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

export async function buildUiKit(folder: string): Promise<void> {
  const web = fileURLToPath(new URL('../web', import.meta.url))
  await build({
    root: web,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: `${web}/ui-kit.html` } },
  })
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('Usage: node tools/build-ui-kit.ts <folder>')
  await buildUiKit(folder)
}
