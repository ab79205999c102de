import type { RatingScheme } from '../../api/generated/api.ts'

/** The rating scheme as the form shows it. Scores are text, because a half-typed number is none. */
export interface RatingDraft {
  rows: RatingRow[]
  ordered: boolean
}

export interface RatingRow {
  /** Identifies the row while its word changes. */
  id: string
  word: string
  label: string
  score: string
  /** Null means the default color. */
  color: Color
  /** The key that chooses the word; null means none. */
  key: Key
}

type Color = RatingScheme['ratings'][number]['color']
type Key = RatingScheme['ratings'][number]['key']

export type RatingVerdict = 'good' | 'bad' | 'neither'

export const RATINGS_MIN = 2
export const RATINGS_MAX = 50

export const ratingKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

export function draftOf({ ratings, ordered }: RatingScheme): RatingDraft {
  const rows = ratings.map(({ value, label, score, color, key }, index) => ({
    id: `${index}`,
    word: value,
    label: label ?? '',
    score: `${score}`,
    color,
    key,
  }))
  return { rows, ordered }
}

/** What people type is trimmed; a saved word is sent as it is, because another spelling would be another word. */
export function schemeOf({ rows, ordered }: RatingDraft, saved: RatingScheme) {
  const known = new Set(saved.ratings.map(({ value }) => value))
  const ratings = rows.map(({ word, label, score, color, key }) => ({
    value: known.has(word) ? word : word.trim(),
    score: Number(score),
    label: label.trim() || null,
    color,
    key,
  }))
  return { ratings, ordered }
}

let newRows = 0

/** A new row gets the next score, so that a scale grows upward, and the first free key. */
export function newRow(rows: RatingRow[]): RatingRow {
  const scores = rows.map(readScore).filter((score) => score !== undefined)
  const key = ratingKeys.find((free) => rows.every((row) => row.key !== free)) ?? null
  newRows += 1
  return { id: `new ${newRows}`, word: '', label: '', score: `${Math.max(-1, ...scores) + 1}`, color: null, key }
}

/** Moves a row to an index; the others keep their order. */
export function moveRow(rows: RatingRow[], id: string, index: number): RatingRow[] {
  const moved = rows.filter((row) => row.id === id)
  return numberAgain(rows, rows.filter((row) => row.id !== id).toSpliced(index, 0, ...moved))
}

export function removeRow(rows: RatingRow[], id: string): RatingRow[] {
  return numberAgain(
    rows,
    rows.filter((row) => row.id !== id),
  )
}

/** A key chooses one word: the word that had it gets the former key of the other. */
export function assignKey(rows: RatingRow[], id: string, key: Key): RatingRow[] {
  const former = rows.find((row) => row.id === id)?.key ?? null
  return rows.map((row) => {
    if (row.id === id) return { ...row, key }
    return key !== null && row.key === key ? { ...row, key: former } : row
  })
}

/** Keys that followed the order of the words still do so after a change; keys that were chosen stay with their words. */
function numberAgain(before: RatingRow[], after: RatingRow[]): RatingRow[] {
  const isNumbered = before.every(({ key }, index) => key === keyAt(index))
  return isNumbered ? after.map((row, index) => ({ ...row, key: keyAt(index) })) : after
}

function keyAt(index: number): Key {
  return ratingKeys[index] ?? null
}

/** As the server counts ratings: a score above the midpoint of the scheme is good, and one below it is bad. */
export function verdictOf(row: RatingRow, rows: RatingRow[]): RatingVerdict | undefined {
  const score = readScore(row)
  const scores = rows.map(readScore).filter((known) => known !== undefined)
  if (score === undefined || scores.length < 2) return undefined
  const middle = (Math.min(...scores) + Math.max(...scores)) / 2
  if (score === middle) return 'neither'
  return score > middle ? 'good' : 'bad'
}

/** Saved words that the draft no longer has. */
export function droppedWords(saved: RatingScheme, draft: RatingDraft): string[] {
  const words = new Set(schemeOf(draft, saved).ratings.map(({ value }) => value))
  return saved.ratings.map(({ value }) => value).filter((value) => !words.has(value))
}

function readScore({ score }: RatingRow): number | undefined {
  return score.trim() === '' || !Number.isFinite(Number(score)) ? undefined : Number(score)
}
