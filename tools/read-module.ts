import { type Argument, type Expression, parseSync, Visitor } from 'oxc-parser'

/** What a module may use only in one location. */
export type Ambient = 'process.env' | 'the current time' | 'randomUUID' | 'an engine driver'

type Found = {
  /** `isStarted` is true for the module of a worker, which runs in a thread of its own and is no part of a circle. */
  imports: { offset: number; specifier: string; isStarted?: true }[]
  ambient: { offset: number; kind: Ambient; text: string }[]
  problems: { offset: number; text: string }[]
}

/** Finds every way in which a module can reach another module or the environment. */
export function readModule(file: string, source: string): Found {
  const found: Found = { imports: [], ambient: [], problems: [] }
  const parsed = parseSync(file, source)
  for (const error of parsed.errors) {
    found.problems.push({ offset: error.labels[0]?.start ?? 0, text: `cannot be read: ${error.message}` })
  }
  const addImport = (from: { start: number; value: string } | null) => {
    if (from) found.imports.push({ offset: from.start, specifier: from.value })
  }
  const addComputable = (from: Expression) => {
    const text = constantText(from)
    if (text === undefined) {
      found.problems.push({
        offset: from.start,
        text: 'imports a computed path, which cannot be followed; write it out',
      })
    } else addImport({ start: from.start, value: text })
  }
  const addAmbient = (offset: number, kind: Ambient, text: string) => found.ambient.push({ offset, kind, text })

  new Visitor({
    ImportDeclaration: (node) => {
      addImport(node.source)
      const imported = node.specifiers.flatMap((one) =>
        one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' ? [one.imported.name] : [],
      )
      if (/^(node:)?process$/.test(node.source.value) && imported.includes('env'))
        addAmbient(node.start, 'process.env', 'process.env')
    },
    ExportNamedDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    TSImportType: (node) => addImport(node.source),
    ImportExpression: (node) => addComputable(node.source),
    Identifier: (node) => {
      if (node.name === 'randomUUID') addAmbient(node.start, 'randomUUID', 'randomUUID')
    },
    MemberExpression: (node) => {
      const text = memberText(node)
      if (text === 'process.env') addAmbient(node.start, 'process.env', text)
      if (text === 'Date.now') addAmbient(node.start, 'the current time', text)
    },
    CallExpression: (node) => {
      if (isNamed(node.callee, 'Date')) addAmbient(node.start, 'the current time', 'Date()')
      const [path] = node.arguments
      if (isNamed(node.callee, 'require') && path && path.type !== 'SpreadElement') addComputable(path)
    },
    NewExpression: (node) => {
      if (isNamed(node.callee, 'Date') && node.arguments.length === 0) {
        addAmbient(node.start, 'the current time', 'new Date()')
      }
      // new Worker(new URL('./worker.ts', import.meta.url)) is an import, too.
      const [path, base] = node.arguments
      if (!isNamed(node.callee, 'URL') || !path || !base || !isImportMetaUrl(base)) return
      const text = path.type === 'SpreadElement' ? undefined : constantText(path)
      if (text && /\.[mc]?[jt]sx?$/.test(text))
        found.imports.push({ offset: path.start, specifier: text, isStarted: true })
    },
  }).visit(parsed.program)
  return found
}

function constantText(node: Expression): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

/** Returns `process.env` for `process.env` and `process['env']`, also behind `globalThis`. */
function memberText(node: Expression): string | undefined {
  if (node.type !== 'MemberExpression') return undefined
  const { object, property } = node
  if (object.type === 'Super' || property.type === 'PrivateIdentifier') return undefined
  const name = property.type === 'Identifier' && !node.computed ? property.name : constantText(property)
  const owner = object.type === 'Identifier' ? object.name : memberText(object)?.replace(/^globalThis\./, '')
  return owner && name ? `${owner}.${name}` : undefined
}

function isNamed(node: Expression | { type: 'Super' }, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

function isImportMetaUrl(node: Argument): boolean {
  return node.type === 'MemberExpression' && node.object.type === 'MetaProperty'
}
