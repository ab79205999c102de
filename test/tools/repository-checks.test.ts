import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { checkDocs } from '../../tools/check-docs.ts'
import { checkImports, slices } from '../../tools/check-imports.ts'
import { checkSizes } from '../../tools/check-sizes.ts'
import { checkSql, sqlExceptions } from '../../tools/check-sql.ts'

const trees: string[] = []

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true })
})

describe('check-imports', () => {
  it('accepts imports that the table allows', () => {
    expect(
      importErrors({
        'src/base/errors.ts': `import 'node:fs'\nimport { pino } from 'pino'`,
        'src/storage/tables.ts': `import '../base/errors.ts'\nimport pg from 'pg' // postgres`,
        'src/storage/db.ts': '',
        'src/http/route.ts': `import '../base/errors.ts'`,
        'src/http/server.ts': `import fastify from 'fastify'\nimport './route.ts'`,
        'src/auth/audit/audit.ts': `import '../../http/route.ts'`,
        'src/auth/api-keys.ts': `import '../storage/db.ts'`,
        'src/jobs/enqueue.ts': `import '../storage/tables.ts'`,
        'src/workspaces/workspace-routes.ts': `import '../auth/api-keys.ts'`,
        'src/traces/trace-queries.ts': `import '../storage/tables.ts'\nimport '../auth/audit/audit.ts'`,
        'src/storage/sqlite/search-hooks.ts': '',
        'src/traces/search/indexer.ts': `import '../../storage/sqlite/search-hooks.ts'\nimport pg from 'pg'`,
        'src/runs/run-queries.ts': `import '../traces/trace-queries.ts'\nimport '../jobs/enqueue.ts'`,
        'src/runs/run-routes.ts': `import './run-queries.ts'\nimport '../http/route.ts'\nimport { version } from '../../package.json'`,
        'src/ingestion/otlp/decode.ts': `import '../../traces/trace-queries.ts'`,
        'src/app.ts': `import './http/server.ts'\nimport './runs/run-routes.ts'`,
        'src/config.ts': `import './base/errors.ts'\nexport const settings = process.env // sqlite`,
        'src/cli/serve.ts': `import '../app.ts'\nimport '../config.ts'`,
        'src/main.ts': `import './cli/serve.ts'`,
        'web/src/page.tsx': `import '@touchstone/web'\nimport './link'\nimport logo from './logo.svg?url'\nconst now = Date.now()`,
        'web/src/link.tsx': 'export const link = <a href="/">home</a>',
        'web/src/logo.svg': '',
        'web/package.json': '{ "name": "@touchstone/web" }',
        'package.json': '{}',
      }),
    ).toEqual([])
  })

  it.each([
    ['base', 'src/base/ids.ts', 'src/storage/db.ts'],
    ['statistics', 'src/statistics/mean.ts', 'src/base/errors.ts'],
    ['storage', 'src/storage/open.ts', 'src/jobs/enqueue.ts'],
    ['storage', 'src/storage/open.ts', 'src/traces/search/indexer.ts'],
    ['the search index', 'src/traces/search/indexer.ts', 'src/storage/sqlite/engine.ts'],
    ['http', 'src/http/server.ts', 'src/auth/audit/audit.ts'],
    ['auth', 'src/auth/authenticate.ts', 'src/http/server.ts'],
    ['auth', 'src/auth/authenticate.ts', 'src/storage/sqlite/engine.ts'],
    ['jobs', 'src/jobs/runner.ts', 'src/http/route.ts'],
    ['a slice to its right', 'src/traces/save.ts', 'src/datasets/dataset-queries.ts'],
    ["another slice's routes", 'src/runs/save.ts', 'src/traces/trace-routes.ts'],
    ['a slice', 'src/runs/save.ts', 'src/storage/sqlite/engine.ts'],
    ['a slice', 'src/runs/save.ts', 'src/auth/authenticate.ts'],
    ['a slice', 'src/runs/save.ts', 'src/jobs/runner.ts'],
    ['llm', 'src/llm/ask.ts', 'src/storage/db.ts'],
    ['the composition root', 'src/app.ts', 'src/cli/serve.ts'],
    ['cli', 'src/cli/serve.ts', 'src/runs/save.ts'],
    ['web', 'web/src/page.tsx', 'src/base/errors.ts'],
  ])('rejects an import against the order: %s', (_name, from, to) => {
    const path = `${'../'.repeat(from.split('/').length - 1)}${to}`
    const errors = importErrors({ [from]: `\nimport { x } from '${path}'`, [to]: '' })
    expect(errors).toContainEqual(expect.stringContaining(`${from}:2 imports ${to}: `))
  })

  it.each([
    `import type { Save } from '../runs/save.ts'`,
    `export { save } from '../runs/save.ts'`,
    `export * from '../runs/save.ts'`,
    `export type { Save } from '../runs/save.ts'`,
    `const save = await import('../runs/save.ts')`,
    'const save = await import(`../runs/save.ts`)',
    `type Save = import('../runs/save.ts').Save`,
    `const worker = new URL('../runs/save.ts', import.meta.url)`,
    `const save = require('../runs/save.ts')`,
  ])('sees through %s', (statement) => {
    const errors = importErrors({ 'src/traces/read.ts': statement, 'src/runs/save.ts': '' })
    expect(errors).toEqual([expect.stringContaining('src/traces/read.ts:1 imports src/runs/save.ts: ')])
  })

  it.each([
    `import type { Save } from './save-run.ts'`,
    `type Save = import('./save-run.ts').Save`,
    `const save = await import('./save-run.ts')`,
  ])('rejects a circle of imports in src: %s', (statement) => {
    const files = {
      'src/runs/list-runs.ts': statement,
      'src/runs/run-queries.ts': `import './list-runs.ts'`,
      'src/runs/save-run.ts': `import './run-queries.ts'`,
    }
    expect(importErrors(files)).toEqual([
      'src/runs/list-runs.ts:1 imports itself: src/runs/list-runs.ts → src/runs/save-run.ts → src/runs/run-queries.ts → src/runs/list-runs.ts; move what both sides need, types included, to a file that imports neither',
    ])
  })

  it.each(['web/src/pages', 'test/harness', 'tools', 'bench/groups', 'packages/sdk/src'])(
    'rejects a circle of types in %s',
    (folder) => {
      const files = {
        [`${folder}/cell.ts`]: `import type { Columns } from './columns.ts'`,
        [`${folder}/columns.ts`]: `import { cell } from './cell.ts'`,
      }
      expect(importErrors(files)).toEqual([
        expect.stringContaining(`imports itself: ${folder}/cell.ts → ${folder}/columns.ts → ${folder}/cell.ts; `),
      ])
    },
  )

  it('lets the module of a worker import the types of the module that starts it', () => {
    expect(
      importErrors({
        'src/runs/start.ts': `const worker = new URL('./run-thread.ts', import.meta.url)`,
        'src/runs/run-thread.ts': `import type { Message } from './start.ts'`,
      }),
    ).toEqual([])
  })

  it('is not misled by imports in comments, strings and templates', () => {
    const source = `// import '../runs/save.ts'\nconst text = "import '../runs/save.ts'" + \`import('../runs/save.ts')\``
    expect(importErrors({ 'src/traces/read.ts': source, 'src/runs/save.ts': '' })).toEqual([])
  })

  it('rejects missing files, computed paths, broken code and folders without a rule', () => {
    expect(importErrors({ 'src/runs/save.ts': `import './gone.ts'` })).toEqual([
      'src/runs/save.ts:1 imports ./gone.ts: no such file',
    ])
    expect(importErrors({ 'src/runs/save.ts': 'await import(name)' })).toEqual([
      expect.stringContaining('computed path'),
    ])
    expect(importErrors({ 'src/runs/save.ts': 'const = 1' })).toEqual([expect.stringContaining('cannot be read')])
    expect(importErrors({ 'src/helpers/save.ts': '' })).toEqual([expect.stringContaining('no row in the import table')])
  })

  it.each([
    ['process.env', `const home = process.env['HOME']`],
    ['process.env', 'const { HOME } = globalThis.process.env'],
    ['process.env', `import { env } from 'node:process'`],
    ['Date.now', 'const now = Date.now()'],
    ['Date.now', 'const clock = { now: Date.now }'],
    ['new Date()', 'const now = new Date()'],
    ['Date()', 'const now = Date()'],
    ['randomUUID', 'const id = crypto.randomUUID()'],
    ['randomUUID', `import { randomUUID } from 'node:crypto'`],
    ['pg', `import pg from 'pg'`],
  ])('lets only the one place use %s: %s', (what, statement) => {
    expect(importErrors({ 'src/runs/save.ts': statement })[0]).toContain(`src/runs/save.ts:1 uses ${what}: `)
  })

  it('allows times from numbers', () => {
    expect(
      importErrors({ 'src/runs/save.ts': 'const day = new Date(0)\nconst parsed = Date.parse("2026-01-01")' }),
    ).toEqual([])
  })

  it('keeps the names of engines inside storage', () => {
    const errors = importErrors({
      'src/runs/save.ts': 'a()\n// PostgreSQL sorts otherwise',
      'web/src/page.tsx': `'SQLite'`,
    })
    expect(errors).toEqual([
      expect.stringContaining('src/runs/save.ts:2 says PostgreSQL: '),
      expect.stringContaining('web/src/page.tsx:1 says SQLite: '),
    ])
  })
})

describe('check-sql', () => {
  const query = `import { sql } from 'kysely'\nq.selectFrom('runs').where(sql\`1 = 1\`)`

  it('lets only files named *-queries.ts and storage build SQL', () => {
    expect(
      checkSql(tree({ 'src/runs/run-queries.ts': query, 'src/storage/dialect.ts': query, 'src/runs/save.ts': '' })),
    ).toEqual({ files: 3, errors: [] })
  })

  it.each([
    ['sql`…`', `import { sql } from 'kysely'`],
    ['sql`…`', `import { type RawBuilder, sql as raw } from 'kysely'`],
    ['selectFrom', `db.read.selectFrom('runs')`],
    ['insertInto', `tx.insertInto('runs')`],
    ['updateTable', `tx.updateTable('runs')`],
    ['deleteFrom', `tx.deleteFrom('runs')`],
    ['selectScoped', `selectScoped(q, 'runs', { workspace_id: workspaceId })`],
    ['where', `query.where('id', '=', id)`],
    ['sql`…`', 'tools.of(sql`now()`)'],
    ['prepare', `database.prepare('select 1')`],
    ['exec', `database.exec(\`\\n  create table \${name} (id text)\`)`],
    ['query', `await client.query("set lock_timeout = '1s'")`],
    ['run', `await pool.run('Delete from runs')`],
    ['select …', `const FIND = 'select r.id from runs r'`],
    ['update …', `const change = (table) => \`update \${table} set name = ?\``],
    ['create …', `const CREATE = 'create unique index runs_name on runs (name)'`],
    ['with …', `client.send({ text: 'with recent as (select 1) select * from recent' })`],
  ])('finds %s in %s and names its location', (what, statement) => {
    expect(checkSql(tree({ 'src/runs/save-run.ts': `\n${statement}` })).errors).toEqual([
      `src/runs/save-run.ts:2 builds SQL (${what}): move the query to a *-queries.ts file of its folder, or name the file *-queries.ts if it has nothing else`,
    ])
  })

  it('allows the types of the query builder, comments, other functions and sentences', () => {
    const source = `import { type sql, type RawBuilder } from 'kysely'\n// q.selectFrom('runs')\nwhere('runs')
      NAME.exec('runs')\nconst summary = ['Create a run', 'Update the name', 'Delete a run with its table']`
    expect(checkSql(tree({ 'src/runs/save-run.ts': source })).errors).toEqual([])
  })
})

describe('rules of this repository', () => {
  const root = join(import.meta.dirname, '../..')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')

  it('excuse only files that build SQL, and few of them', () => {
    expect(sqlExceptions.size).toBeLessThanOrEqual(3)
    const files = [...sqlExceptions.keys()]
    expect(files.filter((file) => !read(file).includes('sql`') && !read(file).includes('sql<'))).toEqual([])
  })

  it('name no folder that does not exist', () => {
    const { files }: { files: { includes: string[] } } = JSON.parse(read('biome.json'))
    const named = [
      ...slices.map((slice) => `src/${slice}`),
      ...files.includes.flatMap((pattern) => /^!?((?:\w+\/)*\w+)(?:\/\*+)?$/.exec(pattern)?.[1] ?? []),
    ]
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((folder) => !existsSync(join(root, folder)))).toEqual([])
  })
})

describe('check-docs', () => {
  const code = { 'src/runs/save-run.ts': '', 'package.json': '{}', 'docs/guide/start.md': '# Start here\n' }

  it('accepts paths, patterns, commands and links that lead somewhere', () => {
    expect(
      docErrors({
        ...code,
        'docs/why.md': '[top](../README.md) `start.md` is the user’s, `why.md` is here',
        'docs/start.md': '',
        'README.md': [
          '`src/runs/` holds `src/runs/save-run.ts`, called `save-run.ts` or `runs/save-run.ts`; `src/*/save-*.ts`, `src/<slice>/`.',
          'Run `node src/runs/save-run.ts --fast`, read `package.json`; `GET /runs/:runId`, `a/b`, `https://example.org/src/x.ts`.',
          '[guide](docs/guide/start.md#start-here), [below](#what-it-is), [out](https://example.org), ![x](<docs/why.md> "t")',
          '```',
          'src/gone.ts `src/gone.ts` [gone](gone.md)',
          '```',
          '# What it *is*',
        ].join('\n'),
      }),
    ).toEqual([])
  })

  it('finds comments in commands, which interactive zsh runs as words', () => {
    const block = ['```sh', 'npm start # serve', '# then', 'curl "$URL#part" -d "a # b"', 'echo a#b', '```']
    expect(docErrors({ 'README.md': block.join('\n'), 'a.md': '```yaml\na: 1 # fine\n```\n' })).toEqual([
      'README.md:2 has a comment in a command: zsh does not know them at its prompt; explain it in the text',
      'README.md:3 has a comment in a command: zsh does not know them at its prompt; explain it in the text',
    ])
  })

  it.each([
    ['`src/gone.ts`', 'names src/gone.ts'],
    ['`src/gone/`', 'names src/gone/'],
    ['`src/*/gone-*.ts`', 'names src/*/gone-*.ts'],
    ['`gone.ts`', 'names gone.ts'],
    ['`runs/gone.ts`', 'names runs/gone.ts'],
    ['`tsconfig.json`', 'names tsconfig.json'],
    ['run `node tools/gone.ts --fast`', 'names tools/gone.ts'],
    ['`src/runs/save-run.ts:12`', 'no line numbers'],
    ['[x](src/runs/save-run.ts#L3)', 'no line numbers'],
    ['[x](gone.md)', 'links to gone.md: no such file'],
    ['[x]: docs/gone.md', 'links to docs/gone.md: no such file'],
    ['[x](docs/guide/start.md#end)', 'no such heading'],
    ['[x](../outside.md)', 'leads out of the repository'],
  ])('rejects %s', (line, problem) => {
    const errors = docErrors({ ...code, 'README.md': `# Title\n\n${line}\n` })
    expect(errors).toEqual([expect.stringContaining(problem)])
    expect(errors[0]).toMatch(/^README\.md:3 /)
  })

  it('ignores names of the user’s files in a guide', () => {
    expect(docErrors({ 'docs/guide/import.md': 'Save it as `answers.json`.' })).toEqual([])
  })

  it('keeps the two maps short', () => {
    const lines = (count: number) => 'line\n'.repeat(count)
    expect(docErrors({ 'ARCHITECTURE.md': lines(150), 'CONTRIBUTING.md': lines(100) })).toEqual([])
    expect(docErrors({ 'ARCHITECTURE.md': lines(151), 'CONTRIBUTING.md': lines(101) })).toEqual([
      'ARCHITECTURE.md:1 has 151 lines, 150 at most',
      'CONTRIBUTING.md:1 has 101 lines, 100 at most',
    ])
  })
})

describe('check-sizes', () => {
  it('rejects hand-written files above 400 lines and counts the others', () => {
    const root = tree({
      'src/a.ts': '\n'.repeat(10),
      'src/b.ts': '\n'.repeat(400),
      'test/c.test.ts': '\n'.repeat(401),
      'web/src/generated/types.ts': '\n'.repeat(5000),
    })
    expect(checkSizes(root)).toEqual({
      files: 3,
      median: 400,
      p90: 401,
      longest: 401,
      errors: ['test/c.test.ts:1 has 401 lines, 400 at most: split it by operation'],
    })
  })

  it('reports folders of src with more than 32 files directly in them, except migrations', () => {
    const files = (folder: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/file-${index}.ts`, '']))
    const root = tree({
      ...files('src/full', 32),
      ...files('src/full/room', 32),
      ...files('src/crowded', 33),
      ...files('src/storage/migrations', 40),
      ...files('test/api', 40),
    })
    expect(checkSizes(root).errors).toEqual([
      'src/crowded has 33 files directly in it, 32 at most: divide it by subject',
    ])
  })
})

describe('check-lockfile', () => {
  const integrity = `sha512-${'A'.repeat(86)}==`

  function check(packages: Record<string, object>): { code: number | null; output: string } {
    const file = join(tree({ 'package-lock.json': JSON.stringify({ packages }) }), 'package-lock.json')
    const tool = join(import.meta.dirname, '../../tools/check-lockfile.ts')
    const { status, stdout } = spawnSync(process.execPath, [tool, file], { encoding: 'utf8' })
    return { code: status, output: stdout.replaceAll(`${file}: `, '') }
  }

  it('accepts packages with a hash, links, and optional packages that the registry did not have', () => {
    const platform = { optional: true, version: '2.6.6' }
    expect(
      check({
        '': {},
        web: {},
        'node_modules/web': { link: true },
        'node_modules/a': { integrity },
        'node_modules/@biomejs/cli-darwin-x64': platform,
      }),
    ).toEqual({
      code: 0,
      output: 'check-lockfile: 2 packages, 0 errors, 1 of other platforms without integrity\n',
    })
  })

  it.each([
    ['without a hash', {}, 'has no sha512 integrity'],
    ['with a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no sha512 integrity'],
    ['without a hash, optional on every platform', { optional: true }, 'has no sha512 integrity'],
    [
      'with the host of a registry',
      { integrity, resolved: 'https://registry.example/a.tgz' },
      'names where it was fetched from',
    ],
  ])('rejects a package %s', (_, locked, problem) => {
    const { code, output } = check({ 'node_modules/a': locked })
    expect(code).toBe(1)
    expect(output).toContain(`node_modules/a ${problem}\n`)
  })
})

function importErrors(files: Record<string, string>): string[] {
  return checkImports(tree(files)).errors
}

function docErrors(files: Record<string, string>): string[] {
  return checkDocs(tree(files)).errors
}

/** Writes the files into a folder that goes away after the test. */
function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'touchstone-tree-'))
  trees.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}
