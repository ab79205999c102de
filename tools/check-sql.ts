/**
 * Fails when a file of src builds SQL but is neither named `*-queries.ts` nor part of storage, so that a reader finds all SQL of a folder by
 * the names of its files.
 *
 * Usage: node tools/check-sql.ts [folder of the repository]
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const allowed = ['src/storage/**', 'src/**/*-queries.ts']

/** Conditions that queries of several files contain, under a name that says more than `*-queries.ts` would. */
export const sqlExceptions = new Map([
  ['src/traces/query/compile-term.ts', 'compiles a term of the query language to a condition'],
])

/** The methods of the query builder that begin a query or add to one that was passed in. */
const builders = [
  'selectFrom',
  'insertInto',
  'replaceInto',
  'mergeInto',
  'updateTable',
  'deleteFrom',
  'where',
  'whereRef',
  'having',
  'innerJoin',
  'leftJoin',
  'orderBy',
]

export function checkSql(root: string): { files: number; errors: string[] } {
  const files = globSync('src/**/*.ts', { cwd: root }).sort()
  const checked = files.filter((file) => !allowed.some((glob) => matchesGlob(file, glob)) && !sqlExceptions.has(file))
  const errors = checked.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const found = findSql(file, source)
    if (!found) return []
    const line = source.slice(0, found.offset).split('\n').length
    return `${file}:${line} builds SQL (${found.text}): move the query to a *-queries.ts file of its folder, or name the file *-queries.ts if it has nothing else`
  })
  return { files: files.length, errors }
}

/** The first location; the file has to change anyway. */
function findSql(file: string, source: string): { offset: number; text: string } | undefined {
  const found: { offset: number; text: string }[] = []
  new Visitor({
    ImportDeclaration: (node) => {
      if (node.source.value !== 'kysely' || node.importKind === 'type') return
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier' || one.importKind === 'type' || one.imported.type !== 'Identifier') continue
        if (one.imported.name === 'sql') found.push({ offset: one.start, text: 'sql`…`' })
      }
    },
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || callee.computed) return
      const { name, start } = callee.property
      if (builders.includes(name)) found.push({ offset: start, text: name })
    },
  }).visit(parseSync(file, source).program)
  return found.sort((a, b) => a.offset - b.offset)[0]
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(dirname(import.meta.filename), '..')
  const { files, errors } = checkSql(root)
  for (const error of errors) console.error(error)
  console.log(`check-sql: ${files} files, ${errors.length} errors`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
