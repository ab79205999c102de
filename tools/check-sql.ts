/**
 * Fails when a file of src builds SQL, with the query builder or as text, but is neither named `*-queries.ts` nor part of storage, so that
 * a reader finds all SQL of a folder by the names of its files.
 *
 * Usage: node tools/check-sql.ts [folder of the repository]
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { type Argument, parseSync, Visitor } from 'oxc-parser'

const allowed = [
  'src/**/*-queries.ts',
  // The engines, the migrations, and the helpers that queries are built with: SQL is all that storage is about.
  'src/storage/**',
]

/** Conditions that queries of several files contain, under a name that says more than `*-queries.ts` would. */
export const sqlExceptions = new Map([
  ['src/traces/query/compile-term.ts', 'compiles a term of the query language to a condition'],
])

/** The functions of `src/storage/query-building.ts` that begin a query. */
const starters = ['selectScoped', 'updateScoped', 'deleteScoped']

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

/** The methods of the drivers that run or prepare a statement. */
const runners = ['prepare', 'exec', 'query', 'run']

/** How a statement begins. Only for arguments of `runners`: sentences begin with these words, too. */
const FIRST_WORD =
  /^\s*(select|insert|replace|update|delete|merge|truncate|with|values|create|drop|alter|attach|detach|analyze|vacuum|reindex|set|reset|show|explain|lock|begin|commit|rollback|savepoint|release|copy|call|grant|revoke|comment|listen|notify|pragma)\b/i

/** Statements in any string, for instance in a constant. Texts for people do not begin like these. */
const STATEMENTS = [
  /^\s*select\s.*\sfrom\s/is,
  /^\s*(insert|replace|merge)\s+into\s/i,
  /^\s*update\s+\S+\s+set\s/i,
  /^\s*delete\s+from\s/i,
  /^\s*(create|drop|alter)\s+(\w+\s+)?(table|index|trigger|view|extension)\s/i,
  /^\s*with\s+(recursive\s+)?\w+\s+as\s+\(/i,
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
  const addStatement = (node: Argument) => {
    const text = textOf(node) ?? ''
    if (STATEMENTS.some((form) => form.test(text)))
      found.push({ offset: node.start, text: `${text.trim().split(/\s/)[0]} …` })
  }
  new Visitor({
    ImportDeclaration: (node) => {
      if (node.source.value !== 'kysely' || node.importKind === 'type') return
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier' || one.importKind === 'type' || one.imported.type !== 'Identifier') continue
        if (one.imported.name === 'sql') found.push({ offset: one.start, text: 'sql`…`' })
      }
    },
    CallExpression: ({ callee, arguments: [statement] }) => {
      if (callee.type === 'Identifier' && starters.includes(callee.name))
        found.push({ offset: callee.start, text: callee.name })
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || callee.computed) return
      const { name, start } = callee.property
      if (builders.includes(name)) found.push({ offset: start, text: name })
      if (runners.includes(name) && FIRST_WORD.test(textOf(statement) ?? '')) found.push({ offset: start, text: name })
    },
    TaggedTemplateExpression: ({ tag, start }) => {
      if (tag.type === 'Identifier' && tag.name === 'sql') found.push({ offset: start, text: 'sql`…`' })
    },
    Literal: addStatement,
    TemplateLiteral: addStatement,
  }).visit(parseSync(file, source).program)
  return found.sort((a, b) => a.offset - b.offset)[0]
}

/** The text of a literal, with `\0` for what a template inserts; undefined for other nodes. */
function textOf(node: Argument | undefined): string | undefined {
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('\0')
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(dirname(import.meta.filename), '..')
  const { files, errors } = checkSql(root)
  for (const error of errors) console.error(error)
  console.log(`check-sql: ${files} files, ${errors.length} errors`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
