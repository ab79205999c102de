/** Parses the value of a term into a test of the type of its field. */
import type { AppError } from '../../base/errors.ts'
import { type Interval, parseDuration, parseTime } from '../../base/parse-time.ts'
import { shortened } from '../../base/text.ts'
import type { NumberRange, Test, TextPattern, TextPiece } from './condition.ts'
import { type QueryPosition, queryError } from './query-error.ts'
import type { Field } from './query-fields.ts'
import type { Operator, WrittenRange, WrittenText } from './query-tokens.ts'

type TermContext = {
  query: string
  now: number
  /** The field as it was written, for messages. */
  name: string
  field: Field
  operator: Operator
  value: WrittenText | WrittenRange
}

export function readTest(context: TermContext): Test {
  const { field, operator, value } = context
  if (operator === ':' && 'text' in value && value.text === '*' && !value.isQuoted) return { is: 'present' }
  switch (field.valueType) {
    case 'words':
      return { is: 'word', word: readWord(context, field.words ?? []) }
    case 'number':
      return { is: 'number', range: readNumbers(context) }
    case 'duration':
      return { is: 'nanoseconds', range: readIntervals(context, (text) => durationOf(context, text)) }
    case 'time':
      return { is: 'nanoseconds', range: readIntervals(context, (text) => timeOf(context, text)) }
    case 'value':
      return readValue(context)
    default:
      return { is: 'text', pattern: readPattern(context, requireText(context)) }
  }
}

function readValue(context: TermContext): Test {
  const { operator, value } = context
  if ('from' in value || (operator !== ':' && operator !== '=')) return { is: 'number', range: readNumbers(context) }
  const number = parseNumber(value.text)
  const pattern = readPattern(context, value)
  return number === undefined || value.isQuoted ? { is: 'text', pattern } : { is: 'text', pattern, number }
}

/** For fields with unordered text values. */
function requireText(context: TermContext): WrittenText {
  const { operator, value, name } = context
  if ('from' in value) throw valueError(context, value.from, `${name} accepts text, not a range`)
  if (operator !== ':' && operator !== '=')
    throw valueError(context, value, `${name} accepts text, which cannot be compared by ${operator}`)
  return value
}

function readWord(context: TermContext, words: readonly string[]): string {
  const value = requireText(context)
  const word = lowercaseAscii(value.text)
  if (words.includes(word)) return word
  throw valueError(context, value, `${context.name} must be one of ${words.join(', ')}`)
}

/** `*` and `?` outside of quotes are wildcards; repeated asterisks count as one. */
function readPattern(context: TermContext, { text, isQuoted, position }: WrittenText): TextPattern {
  if (text === '') throw queryError(context.query, position, 'the text is empty')
  if (text.includes('\0') || !text.isWellFormed()) {
    throw queryError(context.query, position, 'this contains a character that cannot be stored')
  }
  if (isQuoted) return [{ text }]
  const pieces: TextPiece[] = []
  for (const part of text.split(/(\*+|\?)/)) {
    if (part === '') continue
    if (part === '?') pieces.push({ any: 'one' })
    else pieces.push(part.startsWith('*') ? { any: 'many' } : { text: part })
  }
  return pieces
}

function readNumbers(context: TermContext): NumberRange {
  const { operator, value } = context
  if ('from' in value) {
    const from = isUnbounded(value.from) ? undefined : numberOf(context, value.from)
    const to = isUnbounded(value.to) ? undefined : numberOf(context, value.to)
    return {
      ...(from === undefined ? {} : { from: { value: from, isIncluded: value.isFromIncluded } }),
      ...(to === undefined ? {} : { to: { value: to, isIncluded: value.isToIncluded } }),
    }
  }
  const number = numberOf(context, value)
  const bound = { value: number, isIncluded: operator !== '>' && operator !== '<' }
  return {
    ...(operator === '<' || operator === '<=' ? {} : { from: bound }),
    ...(operator === '>' || operator === '>=' ? {} : { to: bound }),
  }
}

/** A date is an interval: after it means after its end, and up to it includes all of it. */
function readIntervals(context: TermContext, intervalOf: (text: WrittenText) => Interval) {
  const { operator, value } = context
  if ('from' in value) {
    const from = isUnbounded(value.from) ? undefined : intervalOf(value.from)
    const to = isUnbounded(value.to) ? undefined : intervalOf(value.to)
    return {
      ...(from ? { from: value.isFromIncluded ? from.from : from.until } : {}),
      ...(to ? { until: value.isToIncluded ? to.until : to.from } : {}),
    }
  }
  const { from, until } = intervalOf(value)
  if (operator === '>') return { from: until }
  if (operator === '>=') return { from }
  if (operator === '<') return { until: from }
  if (operator === '<=') return { until }
  return { from, until }
}

function isUnbounded({ text, isQuoted }: WrittenText): boolean {
  return text === '*' && !isQuoted
}

function numberOf(context: TermContext, text: WrittenText): number {
  const number = parseNumber(text.text)
  if (number === undefined) throw valueError(context, text, `${context.name} needs a number, such as 5 or 0.25`)
  return number
}

function durationOf(context: TermContext, text: WrittenText): Interval {
  const duration = parseDuration(text.text)
  if (!duration)
    throw valueError(
      context,
      text,
      `${context.name} needs a duration, such as 2s, 500ms or 1.5m; seconds without a unit`,
    )
  return duration
}

function timeOf(context: TermContext, text: WrittenText): Interval {
  const time = parseTime(text.text, context.now)
  if (time) return time
  throw valueError(
    context,
    text,
    `${context.name} needs a date (2026-11-14), a time (2026-11-14T09:30:00Z) or a relative time (-24h, -7d)`,
  )
}

function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

function valueError(
  context: TermContext,
  { text, position }: { text: string; position: QueryPosition },
  message: string,
): AppError {
  return queryError(context.query, position, `${shortened(text, 24)} is not valid: ${message}`)
}

/** ASCII only, like all case-insensitive comparisons of the query language. */
function lowercaseAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
