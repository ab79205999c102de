/** Checks a YAML document against the part of JSON Schema that the schema of touchstone.yaml uses. Errors have positions. */
import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'

export interface Schema {
  type?: 'object' | 'array' | 'string' | 'number' | 'boolean'
  enum?: string[]
  anyOf?: Schema[]
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  minimum?: number
  maximum?: number
}

interface Problem {
  line: number
  message: string
}

export function checkYaml(document: Document, lines: LineCounter, schema: Schema): Problem[] {
  const problems: Problem[] = []
  const report = (node: Node | null | undefined, message: string) => {
    problems.push({ line: lines.linePos(node?.range?.[0] ?? 0).line, message })
  }
  checkNode(document.contents, { schema, path: '' }, report)
  return problems
}

type Report = (node: Node | null | undefined, message: string) => void
type At = { schema: Schema; path: string }

function checkNode(node: Node | null | undefined, { schema, path }: At, report: Report): void {
  const name = path === '' ? 'the file' : path
  if (schema.anyOf) {
    const fitting = schema.anyOf.find(({ type }) => type === typeOf(node))
    if (fitting) checkNode(node, { schema: fitting, path }, report)
    else report(node, `${name} must be ${schema.anyOf.map(({ type }) => article(type)).join(' or ')}`)
    return
  }
  if (schema.enum) {
    const isAllowed = isScalar(node) && schema.enum.includes(String(node.value))
    if (!isAllowed) report(node, `${name} must be one of ${schema.enum.join(', ')}`)
    return
  }
  if (schema.type && typeOf(node) !== schema.type) {
    report(node, `${name} must be ${article(schema.type)}`)
    return
  }
  checkScalar(node, { schema, path: name }, report)
  if (isSeq<Node>(node)) {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema
    if (node.items.length < minItems) report(node, `${name} must not be empty`)
    if (node.items.length > maxItems) report(node, `${name} must have at most ${maxItems} entries`)
    if (items)
      for (const [place, item] of node.items.entries())
        checkNode(item, { schema: items, path: `${name}[${place}]` }, report)
  }
  checkProperties(node, { schema, path }, report)
}

function checkScalar(node: Node | null | undefined, { schema, path: name }: At, report: Report): void {
  if (!isScalar(node)) return
  const { value } = node
  if (typeof value === 'string' && value.length < (schema.minLength ?? 0)) report(node, `${name} must not be empty`)
  if (typeof value !== 'number') return
  if (!Number.isFinite(value)) report(node, `${name} must be a number`)
  if (value < (schema.minimum ?? value)) report(node, `${name} must be at least ${schema.minimum}`)
  if (value > (schema.maximum ?? value)) report(node, `${name} must be at most ${schema.maximum}`)
}

function checkProperties(node: Node | null | undefined, { schema, path }: At, report: Report): void {
  if (!isMap<Node, Node | null>(node)) return
  const present = new Set<string>()
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''
    present.add(name)
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    const full = path === '' ? name : `${path}.${name}`
    if (property) checkNode(value ?? key, { schema: property, path: full }, report)
    else if (schema.additionalProperties === false) {
      report(key, `${full} is unknown. Known: ${Object.keys(schema.properties ?? {}).join(', ')}`)
    }
  }
  for (const name of schema.required ?? []) {
    if (!present.has(name)) report(node, `${path === '' ? name : `${path}.${name}`} is required`)
  }
}

function typeOf(node: Node | null | undefined): string {
  if (isMap(node)) return 'object'
  if (isSeq(node)) return 'array'
  return isScalar(node) && node.value !== null ? typeof node.value : 'null'
}

function article(type: string | undefined): string {
  return type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`
}
