/**
 * Fails when a file imports what the table "Who may import whom" of the architecture forbids, when files import each other in a circle
 * (also tests and tools), or when a file names a storage engine outside of storage, or reads the environment, the time or a random id
 * outside of the one module for it.
 *
 * Usage: node tools/check-imports.ts [folder of the repository]
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, matchesGlob, posix } from 'node:path'
import { findCircles } from './import-circles.ts'
import { type Ambient, readModule } from './read-module.ts'

/** A slice may import only the slices before it. Their order is that of the map in ARCHITECTURE.md, from `evaluators` to `metrics`. */
export const slices = readSlices(readFileSync(join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8'))

function readSlices(architecture: string): string[] {
  const [map = ''] = architecture.split('## Who may import whom')
  const cells = map.split('\n').flatMap((line) => /^\| (`src\/[^|]+) \|/.exec(line)?.[1] ?? [])
  const folders = cells.flatMap((cell) => [...cell.matchAll(/`src\/([a-z-]+)\/`/g)].map(([, folder = '']) => folder))
  return folders.slice(folders.indexOf('evaluators'), folders.indexOf('metrics') + 1)
}

type ImportRule = {
  files: string[]
  /** In addition to their own folder. */
  may: string[]
  /** Overrides `may`. */
  never?: string[]
  /** Packages and `node:` modules; undefined for any. */
  packages?: string[]
  why: string
}

/**
 * The first row that matches a file applies. A file without a row is an error, so that a new folder needs a decision.
 */
const importRules: ImportRule[] = [
  {
    files: ['src/base/**'],
    may: [],
    packages: ['node:*', 'pino'],
    why: 'base may use node: and pino only; everything imports it',
  },
  {
    files: ['src/statistics/**'],
    may: [],
    packages: [],
    why: 'statistics are pure functions; they import nothing at all',
  },
  {
    files: ['src/config.ts', 'src/sign-in-config.ts'],
    may: ['src/base/**', 'src/auth/api-keys/api-key-format.ts', 'src/sign-in-config.ts'],
    why: 'configuration is read before anything else exists; it may use only the format of a key',
  },
  {
    files: ['src/storage/**'],
    may: ['src/base/**'],
    why: 'storage may import base; it has no HTTP, callers, jobs or slices',
  },
  {
    files: ['src/http/**'],
    may: ['src/base/**', 'src/storage/db.ts'],
    why: 'http may import base and the type of a database handle; authentication and slices arrive as arguments',
  },
  {
    files: ['src/secrets/**', 'src/egress/**'],
    may: ['src/base/**'],
    why: 'secrets and egress may import base',
  },
  {
    files: ['src/mail/**'],
    may: ['src/base/**', 'src/sign-in-config.ts'],
    why: 'mail may import base and the types of its settings',
  },
  {
    files: ['src/llm/**'],
    may: ['src/base/**', 'src/secrets/**', 'src/egress/**'],
    why: 'llm may import base, secrets and egress; connections and cached answers arrive as arguments',
  },
  {
    files: ['src/auth/**'],
    may: [
      'src/base/**',
      'src/storage/**',
      'src/mail/**',
      'src/sign-in-config.ts',
      'src/http/{event-stream,query-parameters,route,schemas}.ts',
    ],
    never: ['src/storage/{sqlite,postgres}/**'],
    why: 'auth may import base, storage (not its engines), mail, the types of its settings and http/{event-stream,query-parameters,route,schemas}.ts',
  },
  {
    files: ['src/jobs/**'],
    may: ['src/base/**', 'src/storage/**'],
    never: ['src/storage/{sqlite,postgres}/**'],
    why: 'jobs may import base and storage (not its engines); handlers arrive as arguments',
  },
  {
    files: ['src/traces/search/**'],
    may: [
      'src/base/**',
      'src/storage/db.ts',
      'src/storage/sqlite/{search-hooks,worker-queries,private-files,thread-limits}.ts',
    ],
    why: 'the search index may import base, storage/db.ts and storage/sqlite/{search-hooks,worker-queries,private-files,thread-limits}.ts',
  },
  ...slices.map((slice, position) => ({
    files: [`src/${slice}/**`],
    may: [
      'src/base/**',
      'src/statistics/**',
      'src/storage/{db,tables,dialect,query-building,paged-list,list-page,insert-rows,update-rows}.ts',
      'src/http/{event-stream,query-parameters,route,schemas}.ts',
      'src/jobs/{enqueue,job-handler}.ts',
      'src/{secrets,egress,llm}/**',
      'src/auth/audit/audit.ts',
      // Members and keys belong to the workspace, but auth stores them.
      ...(['workspaces', 'health', 'example-data', 'onboarding'].includes(slice) ? ['src/auth/**'] : []),
      // The arguments of its tools are checked, and errors worded, as those of routes.
      ...(slice === 'mcp' ? ['src/http/validation.ts'] : []),
      ...slices.slice(0, position).map((left) => `src/${left}/**`),
    ],
    never: slices.map((other) => `src/${other}/**/*-routes.ts`),
    why:
      'a slice may import base, statistics, storage/{db,tables,dialect,query-building,paged-list,list-page,insert-rows,update-rows}.ts, http/{event-stream,query-parameters,route,schemas}.ts, ' +
      `jobs/{enqueue,job-handler}.ts, secrets, egress, llm, auth/audit/audit.ts and slices to its left (${slices.slice(0, position).join(', ') || 'none'}), never their routes`,
  })),
  {
    files: [
      'src/app.ts',
      'src/app-server.ts',
      'src/routes.ts',
      'src/ports.ts',
      'src/request-idempotency.ts',
      'src/job-handlers.ts',
      'src/housekeeping.ts',
      'src/mcp-mount.ts',
      'src/read-worker-tasks.ts',
    ],
    may: ['src/**'],
    never: ['src/cli/**', 'src/main.ts'],
    why: 'the composition root may import everything but cli, main and web',
  },
  {
    files: ['src/main.ts'],
    may: ['src/cli/**', 'src/app.ts', 'src/config.ts', 'src/base/**', 'src/storage/storage.ts'],
    why: 'main may import cli, app.ts, config.ts, base and storage/storage.ts',
  },
  {
    files: ['src/cli/**'],
    may: [
      'src/app.ts',
      'src/app-server.ts',
      'src/config.ts',
      'src/base/**',
      'src/storage/{storage,migrate,move-database,distribute-database}.ts',
      'src/auth/**',
      'src/connections/rotate-secret-key.ts',
      'src/endpoints/reseal-headers.ts',
      'src/ingestion/remap-traces.ts',
      'src/datasets/items/rehash-items.ts',
      'src/ingestion/link-arrived-traces.ts',
    ],
    why: 'cli may import app.ts, app-server.ts, config.ts, base, storage/{storage,migrate,move-database,distribute-database}.ts, auth, connections/rotate-secret-key.ts, endpoints/reseal-headers.ts, datasets/items/rehash-items.ts and ingestion/{remap-traces,link-arrived-traces}.ts',
  },
  {
    files: ['web/**'],
    may: ['web/**', 'openapi.json'],
    why: 'the interface is a client of the public API: openapi.json, nothing of src',
  },
  {
    files: ['site/**'],
    may: ['site/**'],
    why: 'the guide is built from documents: nothing of src and web',
  },
]

/** The version is read from here. */
const importableByAll = ['package.json']

const wordRules = [
  {
    word: /\w*(sqlite|postgres)\w*/i,
    only: ['src/storage/**', 'src/traces/search/**', 'src/config.ts', 'src/read-worker-tasks.ts'],
    why: 'engine names stay inside src/storage, src/traces/search, src/config.ts and the entry of the read workers; ask storage/dialect.ts',
  },
]

const ambientRules: Record<Ambient, { only: string[]; why: string }> = {
  'process.env': { only: ['src/config.ts'], why: 'settings are read once, in src/config.ts, and passed on' },
  'the current time': {
    only: ['src/base/clock.ts'],
    why: 'take a Clock as argument, so that tests can set the time',
  },
  randomUUID: { only: ['src/base/ids.ts'], why: 'take a NewId as argument; ids must increase' },
  'an engine driver': {
    only: ['src/storage/**', 'src/traces/search/**'],
    why: 'only src/storage and the search index use a driver',
  },
}

const engineDrivers = ['pg', 'better-sqlite3', 'node:sqlite']

/** Code that runs in a client uses the client's clock and environment. */
const ambientScope = ['src/**']

const notChecked = ['**/*.test.*', '**/*.config.ts', '**/test/**', '**/dist/**']
const circlesNotChecked = ['**/dist/**']

export type Checked = { files: number; errors: string[] }

export function checkImports(root: string): Checked {
  const files = ['src', 'web', 'site'].flatMap((folder) => sourceFiles(root, folder))
  const workspaces = workspaceFolders(root)
  const checked = files.map((file) => ({ file, ...checkFile({ root, file, workspaces }) }))
  const others = ['test', 'tools', 'bench', 'packages'].flatMap((folder) =>
    sourceFiles(root, folder, circlesNotChecked),
  )
  const circles = findCircles(
    new Map([
      ...checked.map(({ file, imported }) => [file, imported] as const),
      ...others.map((file) => [file, importedFiles({ root, file, workspaces })] as const),
    ]),
  )
  const errors = [...checked.flatMap((one) => one.errors), ...circles.map(circleError)]
  return { files: files.length, errors }
}

function importedFiles({ root, file, workspaces }: File): string[] {
  const { imports } = readModule(file, readFileSync(join(root, file), 'utf8'))
  return imports.flatMap(({ specifier, isStarted }) =>
    isStarted ? [] : (resolveImport({ root, file, workspaces }, specifier) ?? []),
  )
}

function circleError(circle: string[]): string {
  return `${circle[0]}:1 imports itself: ${circle.join(' → ')}; move what both sides need, types included, to a file that imports neither`
}

type File = { root: string; file: string; workspaces: Map<string, string> }

function checkFile({ root, file, workspaces }: File): { errors: string[]; imported: string[] } {
  const source = readFileSync(join(root, file), 'utf8')
  const { imports, ambient, problems } = readModule(file, source)
  const at = (offset: number) => `${file}:${source.slice(0, offset).split('\n').length}`
  const errors = problems.map(({ offset, text }) => `${at(offset)} ${text}`)

  const rule = importRules.find(({ files }) => matchesAny(file, files))
  if (!rule)
    errors.push(`${file}:1 has no row in the import table of tools/check-imports.ts; decide what it may import`)
  const imported: string[] = []
  for (const { offset, specifier, isStarted } of imports) {
    const target = resolveImport({ root, file, workspaces }, specifier)
    if (target === undefined) errors.push(`${at(offset)} imports ${specifier}: no such file`)
    else if (rule && !isAllowed(rule, file, target)) errors.push(`${at(offset)} imports ${target}: ${rule.why}`)
    if (target !== undefined && !isStarted) imported.push(target)
    if (engineDrivers.includes(specifier)) ambient.push({ offset, kind: 'an engine driver', text: specifier })
  }

  for (const { offset, kind, text } of ambient) {
    const { only, why } = ambientRules[kind]
    if (matchesAny(file, ambientScope) && !matchesAny(file, only)) errors.push(`${at(offset)} uses ${text}: ${why}`)
  }

  for (const { word, only, why } of wordRules) {
    if (matchesAny(file, only)) continue
    for (const [index, line] of source.split('\n').entries()) {
      const found = word.exec(line)
      if (found) errors.push(`${file}:${index + 1} says ${found[0]}: ${why}`)
    }
  }
  return { errors, imported }
}

function isAllowed(rule: ImportRule, file: string, target: string): boolean {
  if (/^(node|npm):/.test(target)) {
    const name = target.replace(/^npm:/, '')
    return rule.packages === undefined || rule.packages.some((allowed) => matchesPackage(name, allowed))
  }
  if (area(file) === area(target) || importableByAll.includes(target)) return true
  return matchesAny(target, rule.may) && !matchesAny(target, rule.never ?? [])
}

/** `src/runs` for everything below it; a file directly in `src` is an area of its own. */
function area(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

function matchesAny(file: string, patterns: string[]): boolean {
  return patterns.some((pattern) => matchesGlob(file, pattern))
}

function matchesPackage(name: string, allowed: string): boolean {
  if (allowed === 'node:*') return name.startsWith('node:')
  return name === allowed || name.startsWith(`${allowed}/`)
}

/** Returns a path from the root of the repository, `node:…`, `npm:…`, or undefined if nothing is found. */
function resolveImport({ root, file, workspaces }: File, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''))
    // The web interface is bundled, so its imports may omit the extension.
    return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => isFile(join(root, candidate)))
  }
  if (isBuiltin(specifier)) return `node:${specifier.replace(/^node:/, '')}`
  for (const [name, folder] of workspaces) {
    if (specifier === name || specifier.startsWith(`${name}/`)) return `${folder}/${specifier.slice(name.length + 1)}`
  }
  return `npm:${specifier}`
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** The packages of this repository by name: an import of one is an import of its folder. */
function workspaceFolders(root: string): Map<string, string> {
  const manifest = join(root, 'web', 'package.json')
  return new Map(existsSync(manifest) ? [[JSON.parse(readFileSync(manifest, 'utf8')).name, 'web']] : [])
}

function sourceFiles(root: string, folder: string, excluded = notChecked): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourceFiles(root, path, excluded)
      return /\.(ts|tsx|mts|js|mjs)$/.test(entry.name) && !matchesAny(path, excluded) ? [path] : []
    })
    .sort()
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(dirname(import.meta.filename), '..')
  const { files, errors } = checkImports(root)
  for (const error of errors) console.error(error)
  console.log(`check-imports: ${files} files, ${errors.length} errors`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
