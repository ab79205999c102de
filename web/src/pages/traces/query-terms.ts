import { type QueryPart, splitQuery, writeField, writeValue } from './query-parts.ts'

/** One value of a field, as a click in the list of filters writes it. */
export interface QueryTerm {
  field: string
  /** As it is written after the colon, such as `gpt-5` or `<0.5`. */
  written: string
}

export function valueTerm(field: string, value: string): QueryTerm {
  return { field, written: writeValue(value) }
}

/** A run of the query: one term, or several of the same field in parentheses with OR between them. */
interface Group {
  start: number
  end: number
  field: string
  values: string[]
}

/** Adds the term, or removes it. Several values of a field are alternatives: a trace has to have one of them. */
export function toggleTerm(query: string, { field, written }: QueryTerm): string {
  const group = groupOf(query, field)
  if (!group) {
    const text = query.trim()
    const others = hasTopLevelOr(text) ? `(${text})` : text
    return `${others} ${writeField(field)}${written}`.trim()
  }
  const { values } = group
  const next = values.includes(written) ? values.filter((value) => value !== written) : [...values, written]
  const before = query.slice(0, group.start).trim()
  const after = query.slice(group.end).trim()
  return [before, writeGroup(field, next), after].filter((text) => text !== '').join(' ')
}

/** The values of a field that the query requires. */
export function chosenValues(query: string, field: string): string[] {
  return groupOf(query, field)?.values ?? []
}

/** The query without the values of a field, to count its other values. */
export function withoutField(query: string, field: string): string {
  const group = groupOf(query, field)
  return group ? `${query.slice(0, group.start).trim()} ${query.slice(group.end).trim()}`.trim() : query
}

function writeGroup(field: string, values: string[]): string {
  const terms = values.map((value) => `${writeField(field)}${value}`)
  return terms.length > 1 ? `(${terms.join(' OR ')})` : (terms[0] ?? '')
}

/** Undefined if the query has no such group, or if it stands in a part that may be an alternative. */
function groupOf(query: string, field: string): Group | undefined {
  if (hasTopLevelOr(query)) return undefined
  const parts = splitQuery(query).filter(({ type }) => type !== 'space')
  for (let at = 0; at < parts.length; at += 1) {
    const opening = parts[at]
    if (!opening) break
    if (isOf(opening, field) && !isNegatedBy(parts[at - 1], query))
      return { start: opening.start, end: opening.end, field, values: [writtenValue(query, opening)] }
    if (textOf(query, opening) !== '(') continue
    const close = closingOf(query, parts, at)
    const inner = parts.slice(at + 1, close)
    const closing = parts[close]
    if (closing && !isNegatedBy(parts[at - 1], query) && isAlternatives(query, inner, field)) {
      const values = inner.filter(({ type }) => type === 'term').map((part) => writtenValue(query, part))
      return { start: opening.start, end: closing.end, field, values }
    }
    at = close
  }
  return undefined
}

function isAlternatives(query: string, inner: QueryPart[], field: string): boolean {
  return (
    inner.length % 2 === 1 &&
    inner.every((part, index) => (index % 2 === 0 ? isOf(part, field) : textOf(query, part) === 'OR'))
  )
}

function isOf(part: QueryPart, field: string): boolean {
  return part.type === 'term' && !part.isNegated && part.field?.name.toLowerCase() === field.toLowerCase()
}

function isNegatedBy(before: QueryPart | undefined, query: string): boolean {
  return before !== undefined && ['NOT', '-'].includes(textOf(query, before))
}

/** The index of the parenthesis that closes the one at `from`; of the last part if none does. */
function closingOf(query: string, parts: QueryPart[], from: number): number {
  let depth = 0
  for (let at = from; at < parts.length; at += 1) {
    const part = parts[at]
    if (part && textOf(query, part) === '(') depth += 1
    if (part && textOf(query, part) === ')') depth -= 1
    if (depth === 0) return at
  }
  return parts.length - 1
}

function hasTopLevelOr(query: string): boolean {
  let depth = 0
  return splitQuery(query).some((part) => {
    const text = textOf(query, part)
    if (text === '(') depth += 1
    if (text === ')') depth -= 1
    return depth === 0 && text === 'OR'
  })
}

function writtenValue(query: string, part: QueryPart): string {
  return query.slice(part.field?.end ?? part.start, part.end)
}

function textOf(query: string, { start, end }: QueryPart): string {
  return query.slice(start, end)
}
