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
}

export type RatingVerdict = 'good' | 'bad' | 'neither'

export const RATINGS_MIN = 2
export const RATINGS_MAX = 50

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

export function draftOf({ ratings, ordered }: RatingScheme): RatingDraft {
  const rows = ratings.map(({ value, label, score }, index) => ({
    id: `${index}`,
    word: value,
    label: label ?? '',
    score: `${score}`,
  }))
  return { rows, ordered }
}

/** What people type is trimmed; a saved word is sent as it is, because another spelling would be another word. */
export function schemeOf({ rows, ordered }: RatingDraft, saved: RatingScheme) {
  const known = new Map(saved.ratings.map((rating) => [rating.value, rating]))
  const ratings = rows.map(({ word, label, score }, index) => {
    const rating = known.get(word)
    return {
      value: rating ? word : word.trim(),
      score: Number(score),
      label: label.trim() || null,
      // The keys follow the order, as the preview shows them.
      key: KEYS[index] ?? null,
      // A new word gets a color from the server.
      ...(rating && { color: rating.color }),
    }
  })
  return { ratings, ordered }
}

let newRows = 0

/** A new row gets the next score, so that a scale grows upward. */
export function newRow(rows: RatingRow[]): RatingRow {
  const scores = rows.map(readScore).filter((score) => score !== undefined)
  newRows += 1
  return { id: `new ${newRows}`, word: '', label: '', score: `${Math.max(-1, ...scores) + 1}` }
}

/** Moves a row to an index; the others keep their order. */
export function moveRow(rows: RatingRow[], id: string, index: number): RatingRow[] {
  const moved = rows.filter((row) => row.id === id)
  return rows.filter((row) => row.id !== id).toSpliced(index, 0, ...moved)
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
