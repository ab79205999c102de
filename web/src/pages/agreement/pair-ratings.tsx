import type { CountedAgreement } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { RatingMatrix } from '../../ui/charts/rating-matrix.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { differences, type Two } from './agreement-model.ts'

interface PairRatingsProps {
  /** The pair that is shown; its raters may be in another order than in `agreement`. */
  pair: CountedAgreement['pairs'][number]
  agreement: CountedAgreement
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
  selected: Two | undefined
  onChange: (raters: Two | undefined, ratings: Two | undefined) => void
}

/** Which ratings two raters gave to the same traces, and the choice of the two. */
export function PairRatings({ pair, agreement, nameOf, lookOf, selected, onChange }: PairRatingsProps) {
  const { pairs, categories } = agreement
  const used = new Set(pair.ratings.flatMap(({ a, b }) => [a, b]))
  const index = pairs.findIndex(({ a, b }) => [pair.a, pair.b].includes(a) && [pair.a, pair.b].includes(b))
  return (
    <>
      <RatingMatrix
        title="Rating by rating"
        raters={[nameOf(pair.a), nameOf(pair.b)]}
        words={categories.filter((word) => used.has(word)).map(lookOf)}
        counts={pair.ratings}
        selected={selected}
        // Of many pairs, the chosen one stays when a combination is given up.
        onSelect={(words) => onChange(words || pairs.length > 1 ? [pair.a, pair.b] : undefined, words)}
      />
      {pairs.length > 1 && (
        <div className="mt-3 max-w-md">
          <SelectField
            label="Raters"
            className="w-full"
            value={index}
            onChange={({ target }) => {
              const chosen = pairs[Number(target.value)]
              if (chosen) onChange([chosen.a, chosen.b], undefined)
            }}
          >
            {pairs.map((one, place) => (
              <option key={`${one.a} ${one.b}`} value={place}>
                {`${nameOf(one.a)} and ${nameOf(one.b)}: ${formatCount(differences(one))} of ${formatCount(one.shared)} differ`}
              </option>
            ))}
          </SelectField>
        </div>
      )}
    </>
  )
}
