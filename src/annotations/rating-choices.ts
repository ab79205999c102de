import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { withKeys } from './rating-keys.ts'
import type { DisplayedScheme } from './rating-scheme-queries.ts'

/** A rating that the caller may choose. `score` is null for a value that is not in the scheme. */
export type Choice = {
  value: string
  label: string | null
  score: number | null
  color: string | null
  key: string | null
}

/** The ratings that the policy allows, as the scheme displays them; all ratings of the scheme if it allows any. */
export function choicesOf({ ratings }: AnnotationPolicy, scheme: DisplayedScheme): Choice[] {
  if (ratings === null) return scheme.ratings.map((rating) => ({ ...rating }))
  const known = new Map(scheme.ratings.map((rating) => [rating.value, rating]))
  return withKeys(
    ratings.map((value) => known.get(value) ?? { value, label: null, score: null, color: null, key: undefined }),
  )
}
