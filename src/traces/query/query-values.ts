/** Reads the values of terms: what is written behind a field becomes a test of the kind that the field takes. */
import type { AppError } from '../../base/errors.ts'
import type { NumberRange, Test, TextPattern, TextPiece } from './condition.ts'
import { type Place, queryError, shortened } from './query-error.ts'
import type { Field } from './query-fields.ts'
import { type Interval, parseDuration, parseTime } from './query-times.ts'
import type { Operator, WrittenRange, WrittenText } from './query-tokens.ts'

type Asked = {
  query: string
  now: number
  /** The field as it was written, for messages. */
  name: string
  field: Field
  operator: Operator
  value: WrittenText | WrittenRange
}

export function readTest(asked: Asked): Test {
  const { field, operator, value } = asked
  if (operator === ':' && 'text' in value && value.text === '*' && !value.isQuoted) return { is: 'present' }
  switch (field.takes) {
    case 'words':
      return { is: 'word', word: readWord(asked, field.words ?? []) }
    case 'number':
      return { is: 'number', range: readNumbers(asked) }
    case 'duration':
      return { is: 'nanoseconds', range: readIntervals(asked, (text) => durationOf(asked, text)) }
    case 'time':
      return { is: 'nanoseconds', range: readIntervals(asked, (text) => timeOf(asked, text)) }
    case 'value':
      return readValue(asked)
    default:
      return { is: 'text', pattern: readPattern(asked, plainText(asked)) }
  }
}

function readValue(asked: Asked): Test {
  const { operator, value } = asked
  if ('from' in value || (operator !== ':' && operator !== '=')) return { is: 'number', range: readNumbers(asked) }
  const number = parseNumber(value.text)
  const pattern = readPattern(asked, value)
  return number === undefined || value.isQuoted ? { is: 'text', pattern } : { is: 'text', pattern, number }
}

/** For fields that are compared with one text and have no order. */
function plainText(asked: Asked): WrittenText {
  const { operator, value, name } = asked
  if ('from' in value) throw wrong(asked, value.from, `${name} takes text, not a range`)
  if (operator !== ':' && operator !== '=')
    throw wrong(asked, value, `${name} takes text, which cannot be compared by ${operator}`)
  return value
}

function readWord(asked: Asked, words: readonly string[]): string {
  const value = plainText(asked)
  const word = lowered(value.text)
  if (words.includes(word)) return word
  throw wrong(asked, value, `${asked.name} is one of ${words.join(', ')}`)
}

/** `*` and `?` outside quotes are gaps; several in a row ask for no more than one. */
function readPattern(asked: Asked, { text, isQuoted, place }: WrittenText): TextPattern {
  if (text === '') throw queryError(asked.query, place, 'there is no text to look for')
  if (text.includes('\0') || !text.isWellFormed()) {
    throw queryError(asked.query, place, 'this has a character that is never stored')
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

function readNumbers(asked: Asked): NumberRange {
  const { operator, value } = asked
  if ('from' in value) {
    const from = isOpen(value.from) ? undefined : numberOf(asked, value.from)
    const to = isOpen(value.to) ? undefined : numberOf(asked, value.to)
    return {
      ...(from === undefined ? {} : { from: { value: from, isIncluded: value.isFromIncluded } }),
      ...(to === undefined ? {} : { to: { value: to, isIncluded: value.isToIncluded } }),
    }
  }
  const number = numberOf(asked, value)
  const bound = { value: number, isIncluded: operator !== '>' && operator !== '<' }
  return {
    ...(operator === '<' || operator === '<=' ? {} : { from: bound }),
    ...(operator === '>' || operator === '>=' ? {} : { to: bound }),
  }
}

/** A day is longer than a moment: behind it means behind its end, and up to it means with all of it. */
function readIntervals(asked: Asked, intervalOf: (text: WrittenText) => Interval) {
  const { operator, value } = asked
  if ('from' in value) {
    const from = isOpen(value.from) ? undefined : intervalOf(value.from)
    const to = isOpen(value.to) ? undefined : intervalOf(value.to)
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

function isOpen({ text, isQuoted }: WrittenText): boolean {
  return text === '*' && !isQuoted
}

function numberOf(asked: Asked, text: WrittenText): number {
  const number = parseNumber(text.text)
  if (number === undefined) throw wrong(asked, text, `${asked.name} needs a number, such as 5 or 0.25`)
  return number
}

function durationOf(asked: Asked, text: WrittenText): Interval {
  const duration = parseDuration(text.text)
  if (!duration)
    throw wrong(asked, text, `${asked.name} needs a time span, such as 2s, 500ms or 1.5m; seconds without a unit`)
  return duration
}

function timeOf(asked: Asked, text: WrittenText): Interval {
  const time = parseTime(text.text, asked.now)
  if (time) return time
  throw wrong(
    asked,
    text,
    `${asked.name} needs a date (2026-11-14), a time (2026-11-14T09:30:00Z) or a time ago (-24h, -7d)`,
  )
}

function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

function wrong(asked: Asked, { text, place }: { text: string; place: Place }, message: string): AppError {
  return queryError(asked.query, place, `${shortened(text, 24)} does not fit: ${message}`)
}

/** ASCII only, as everything in this language that ignores case. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
