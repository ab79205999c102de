/**
 * Writes the generated modules of the Python package: the types of the API, and the blocking client. They are committed, because the package
 * is built from the repository without Node; with `--check`, fails if one of them is stale.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postsWithoutKey } from './posts-without-key.ts'
import { pythonSyncSource } from './python-sync-source.ts'
import { type Description, type NamedBody, pythonTypes } from './python-types.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = join(ROOT, 'packages/python/src/touchstone_sdk')

const C = '/components/{componentId}'
const BODIES: readonly NamedBody[] = [
  ['CreatedComponent', 'post', '/components', '201'],
  ['CreatedTrace', 'post', `${C}/traces`, '201'],
  ['StartedEvaluation', 'post', `${C}/evaluations`, '202'],
]

const files = new Map([
  ['api_types.py', pythonTypes(readDescription(), BODIES)],
  ['posts_without_key.py', pythonSet('POSTS_WITHOUT_KEY', postsWithoutKey(readDescription()))],
])
for (const file of globSync('async_*.py', { cwd: PACKAGE }).sort()) {
  if (file === 'async_tools.py') continue
  const source = readFileSync(join(PACKAGE, file), 'utf8')
  files.set(file.replace('async_', 'sync_'), pythonSyncSource(source, basename(file)))
}

mkdirSync(join(PACKAGE, 'generated'), { recursive: true })
for (const [name, fresh] of files) {
  const path = join(PACKAGE, 'generated', name)
  if (!process.argv.includes('--check')) writeFileSync(path, fresh)
  else if (readFileSync(path, 'utf8') !== fresh) {
    process.stderr.write(`${path} is stale; run \`npm run generate\`\n`)
    process.exitCode = 1
  }
}

function pythonSet(name: string, values: readonly string[]): string {
  const lines = values.map((value) => `        ${JSON.stringify(value)},\n`).join('')
  return `"""Generated from openapi.json by \`npm run generate\`; do not edit."""\n\n${name} = frozenset(\n    {\n${lines}    }\n)\n`
}

function readDescription(): Description {
  return JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))
}
