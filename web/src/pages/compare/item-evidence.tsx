import { usePersonName } from '../../api/directory-query.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { RatingMark } from '../../ui/rating-mark.tsx'
import { type Row, type Texts, valueText } from './row-model.ts'

interface ItemEvidenceProps {
  applicationId: string
  side: 'baseline' | 'candidate'
  row: Row
  texts: Texts | undefined
  /** The metric that the page is about comes first. */
  metric: string | undefined
}

/** The scores of one answer with the reasons of judges, and the ratings of people. */
export function ItemEvidence({ applicationId, side, row, texts, metric }: ItemEvidenceProps) {
  const nameOf = usePersonName(applicationId)
  const lookOf = useRatingLook(applicationId)
  const results = (texts?.results ?? []).filter(({ run }) => run === side)
  const ratings = (texts?.ratings ?? []).filter(({ run }) => run === side)
  const isRepeated = (name: string) => row.scores.filter((score) => score.name === name).length > 1
  const scores = row.scores
    .filter((score) => score[side] !== null && !traceMetrics.includes(score.name))
    .sort((a, b) => Number(b.name === metric) - Number(a.name === metric))
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3 text-data">
      {scores.length > 0 && (
        <ul aria-label="Scores" className="flex flex-col gap-2">
          {scores.map(({ name, repetition, ...values }) => {
            const result = results.find((one) => one.name === name && one.repetition === repetition)
            return (
              <li key={`${name} ${repetition}`}>
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <bdi className="font-medium wrap-anywhere">{metricTitle(name)}</bdi>
                  {isRepeated(name) && <span className="text-meta text-faint">repetition {repetition}</span>}
                  <span className="tabular-nums">{valueText(values[side])}</span>
                  {result && result.passed !== null && (
                    <span className={result.passed ? 'text-good' : 'text-danger'}>
                      {result.passed ? '✓ pass' : '✗ fail'}
                    </span>
                  )}
                </p>
                {result?.reason && <p className="wrap-anywhere whitespace-pre-wrap text-soft">{result.reason.text}</p>}
              </li>
            )
          })}
        </ul>
      )}
      {results
        .filter(({ error }) => error !== null)
        .map(({ name, repetition, error }) => (
          <p key={`${name} ${repetition}`} className="wrap-anywhere text-soft">
            <bdi className="font-medium text-warn">! {metricTitle(name)} failed</bdi>: {error?.text}
          </p>
        ))}
      {ratings.length > 0 && (
        <ul aria-label="Ratings of people" className="flex flex-col gap-2">
          {ratings.map(({ userId, rating, comment }) => {
            const name = nameOf(userId)
            const look = rating ? lookOf(rating) : undefined
            return (
              <li key={userId} className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2">
                <Avatar name={name} />
                <div className="min-w-0">
                  <p className="flex flex-wrap items-center gap-x-1.5">
                    {look && (
                      <>
                        <RatingMark color={look.color} />
                        <bdi className="font-semibold wrap-anywhere">{look.label}</bdi>·
                      </>
                    )}
                    <span className="truncate">{name}</span>
                  </p>
                  {comment && <p className="wrap-anywhere whitespace-pre-wrap text-soft">{comment.text}</p>}
                </div>
              </li>
            )
          })}
        </ul>
      )}
      {scores.length === 0 && ratings.length === 0 && <p className="text-faint">No scores and no ratings.</p>}
    </div>
  )
}

const traceMetrics = ['rating', 'error', 'durationMs', 'costUsd', 'totalTokens']
