/**
 * The program in a few files instead of more than a thousand: a start then needs half the processor time, and tests of
 * faults start it hundreds of times. Paths relative to a source still lead to where that source is.
 */
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '../..')

/** What is started by its path: the program, what the sources of tests import, and the threads. */
const ENTRIES = [
  'touchstone.mjs',
  'src/app.ts',
  'src/app-server.ts',
  'src/config.ts',
  'src/read-worker-tasks.ts',
  'src/evaluations/runner/evaluator-thread.ts',
  'src/storage/sqlite/default-read-worker.ts',
  'src/traces/search/indexer-thread.ts',
]

const THREAD = /workerFile\(new URL\('(.+?)\.ts', import\.meta\.url\)\)/g

export async function bundleProgram(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [basename(path).replace(/\.m?[jt]s$/, ''), join(ROOT, path)])),
    platform: 'node',
    // Native code, and data that is read from its package.
    external: ['better-sqlite3', '@pydantic/genai-prices', 'pg-native'],
    plugins: [keepPaths(folder)],
    onwarn() {},
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
}

function keepPaths(folder: string): Plugin {
  return {
    name: 'keep-paths',
    transform(code, id) {
      if (id.includes('node_modules') || !code.includes('import.meta')) return
      return code
        .replaceAll(THREAD, (_, path) => `new URL(${JSON.stringify(threadUrl(folder, path))})`)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    },
  }
}

function threadUrl(folder: string, path: string): string {
  return pathToFileURL(join(folder, `${basename(path)}.mjs`)).href
}
