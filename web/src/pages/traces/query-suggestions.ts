import type { FacetValues } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { findQueryField, queryFields } from './query-field-list.ts'
import { type CaretContext, writeField, writeValue } from './query-parts.ts'

export interface Suggestion {
  group: string
  /** As it is written in the query. */
  label: string
  meaning?: string
  /** The number of traces. */
  count?: string
  /** Replaces the text of the query between the offsets. */
  edit: { start: number; end: number; text: string }
  /** `complete` goes on with the value of a field; `done` closes the list; `submit` also runs the query. */
  next: 'complete' | 'done' | 'submit'
}

interface SuggestionSources {
  query: string
  recent: string[]
  /** Of the field at the caret; undefined while they load, and for fields without any. */
  values: FacetValues | undefined
}

const VALUES_SHOWN = 12

export function suggest(context: CaretContext | undefined, sources: SuggestionSources): Suggestion[] {
  if (!context) return []
  if (context.type === 'value') return suggestValues(context, sources.values)
  if (context.type === 'key') return suggestKeys(context, sources.values)
  const fields = suggestFields(context)
  if (sources.query.trim() === '') return [...suggestRecent(sources), ...fields]
  return [...fields, ...suggestOperators(context, sources.query), ...suggestText(context)]
}

function suggestRecent({ query, recent }: SuggestionSources): Suggestion[] {
  const edit = { start: 0, end: query.length }
  return recent.map((text) => ({ group: 'Recent', label: text, edit: { ...edit, text }, next: 'submit' as const }))
}

function suggestFields({ typed, start, end }: CaretContext): Suggestion[] {
  const text = typed.toLowerCase()
  const found = queryFields.filter(({ name }) => name.startsWith(text))
  return found.map(({ name, meaning, isKeyed }) => {
    const written = isKeyed ? `${name}.` : `${name}:`
    return { group: 'Fields', label: written, meaning, edit: { start, end, text: written }, next: 'complete' as const }
  })
}

/** What is typed is a query already: a word without a field. */
function suggestText({ typed, start, end }: CaretContext): Suggestion[] {
  if (typed === '') return []
  const meaning = 'text in a name, input or output'
  return [{ group: 'Text', label: typed, meaning, edit: { start, end, text: typed }, next: 'submit' }]
}

/** Only after a term, and if nothing else is typed: upper case distinguishes operators from words. */
function suggestOperators({ typed, start, end }: CaretContext, query: string): Suggestion[] {
  if (query.slice(0, start).trim() === '') return []
  return operators
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, meaning }) => ({
      group: 'Combine',
      label: word,
      meaning,
      edit: { start, end, text: `${word} ` },
      next: 'complete' as const,
    }))
}

const operators = [
  { word: 'OR', meaning: 'one of both, or both' },
  { word: 'NOT', meaning: 'without the next term; a minus does the same' },
]

function suggestKeys(context: CaretContext & { type: 'key' }, values: FacetValues | undefined): Suggestion[] {
  const { field, start, end, typed } = context
  return beginningWith(values, typed).map(({ value, ...number }) => {
    const text = writeField(`${field}.${value}`)
    const group = field === 'score' ? 'Evaluators' : 'Keys'
    return { group, label: text, ...countOf(number), edit: { start, end, text }, next: 'complete' as const }
  })
}

function suggestValues(context: CaretContext & { type: 'value' }, values: FacetValues | undefined): Suggestion[] {
  const { field, key, start, end, typed, hasComparison, part } = context
  const known = findQueryField(field)
  const name = writeField(key ? `${field}.${key}` : field)
  const replace = (text: string) => ({ start, end, text: `${text} ` })
  const found = known?.isKeyed || hasComparison ? [] : beginningWith(values, typed)
  const written = found.map(({ value, ...number }) => ({
    group: 'Values',
    label: writeValue(value),
    ...countOf(number),
    edit: replace(writeValue(value)),
    next: 'done' as const,
  }))
  if (typed !== '' || hasComparison || !known) return written
  const samples = (known.samples ?? []).map(({ value, meaning }) => ({
    group: 'Compare',
    label: value,
    meaning,
    edit: replace(value),
    next: 'done' as const,
  }))
  // The whole term: without a value is written with a minus before the field.
  const term = { start: part?.start ?? start, end }
  const presence = presenceOf(field).map(({ sign, meaning }) => ({
    group: 'Any',
    label: `${sign}${name}*`,
    meaning,
    edit: { ...term, text: `${sign}${name}* ` },
    next: 'done' as const,
  }))
  return [...written, ...samples, ...presence]
}

/** Every trace has a status, a kind, an id and a start; `has:*` means nothing. */
function presenceOf(field: string) {
  if (['status', 'kind', 'has', 'id', 'trace', 'start'].includes(field)) return []
  return [
    { sign: '', meaning: field === 'rating' ? 'rated' : 'any value' },
    { sign: '-', meaning: field === 'rating' ? 'not rated yet' : 'no value' },
  ]
}

function beginningWith(values: FacetValues | undefined, typed: string): FacetValues['data'] {
  const text = typed.toLowerCase()
  return (values?.data ?? []).filter(({ value }) => value.toLowerCase().startsWith(text)).slice(0, VALUES_SHOWN)
}

function countOf({ count, isExact }: { count: number | null; isExact: boolean }): { count?: string } {
  if (count === null) return {}
  return { count: isExact ? formatCount(count) : `${formatCount(count)}+` }
}
