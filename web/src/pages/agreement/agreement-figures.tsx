import type { CountedAgreement } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { AgreementMatrix } from '../../ui/charts/agreement-matrix.tsx'
import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { countOf } from '../../ui/format-number.ts'
import { agreementInWords, estimateOf, shownPair, type Two } from './agreement-model.ts'
import { Card } from './card.tsx'
import { JudgeList } from './judge-list.tsx'
import { PairRatings } from './pair-ratings.tsx'

interface AgreementFiguresProps {
  agreement: CountedAgreement
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
  /** The chosen raters, and the chosen combination of their ratings. */
  raters: Two | undefined
  ratings: Two | undefined
  onChange: (raters: Two | undefined, ratings: Two | undefined) => void
}

/** How far raters agree: all of them, every two of them, two of them rating by rating, and the judges with them. */
export function AgreementFigures({ agreement, nameOf, lookOf, raters, ratings, onChange }: AgreementFiguresProps) {
  const { alpha, pairs, judges } = agreement
  const pair = shownPair(pairs, raters)
  const estimate = estimateOf(alpha.value, alpha.ci, alpha.units, agreement.summary)
  return (
    <div className="@container">
      {hasMean(estimate) && (
        <h2 className="mb-1 font-display text-section font-semibold text-pretty">{agreementInWords(estimate)}</h2>
      )}
      <p className={hasMean(estimate) ? 'mb-2 max-w-[100ch] text-data text-soft' : 'mb-2 max-w-[100ch] text-pretty'}>
        {agreement.summary}
      </p>
      {hasMean(estimate) && (
        <p className="mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-data text-soft">
          Krippendorff’s α
          <IntervalMark estimate={estimate} domain={[Math.min(0, estimate.low), 1]} series="baseline" />
          <span className="text-meta text-faint">0 chance, 1 perfect</span>
        </p>
      )}
      {agreement.excluded > 0 && agreement.items > 0 && (
        <p className="mb-6 text-data text-soft">
          {countOf(agreement.excluded, 'rating has', 'ratings have')} words that the rating scheme no longer has. They
          are not counted.
        </p>
      )}
      {pair && (
        <div className="mb-6 grid gap-6 @4xl:grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)]">
          <Card>
            <AgreementMatrix
              title="Every two raters"
              note={`Cohen’s κ${alpha.level === 'ordinal' ? ', weighted by distance' : ''} · 0 chance, 1 perfect`}
              raters={agreement.raters.map(({ userId, count }) => {
                return { id: userId, name: nameOf(userId), ratingCount: count }
              })}
              pairs={pairs.map(({ a, b, shared, kappa, ci, summary = '' }) => {
                return { raterIds: [a, b], estimate: estimateOf(kappa, ci, shared, summary) }
              })}
              selected={raters}
              onSelect={pairs.length > 1 ? (chosen) => onChange(chosen, undefined) : undefined}
            />
          </Card>
          <Card>
            <PairRatings
              pair={pair}
              agreement={agreement}
              nameOf={nameOf}
              lookOf={lookOf}
              selected={raters && ratings}
              onChange={onChange}
            />
          </Card>
        </div>
      )}
      {judges.length > 0 && (
        <div className="mb-8">
          <Card>
            <JudgeList judges={judges} />
          </Card>
        </div>
      )}
    </div>
  )
}
