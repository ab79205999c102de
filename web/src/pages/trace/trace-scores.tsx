import type { TraceLinks } from '../../api/generated/api.ts'
import { countOf, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { FactSection } from './fact-section.tsx'

type Score = TraceLinks['scores'][number]

/** The scores of the newest evaluation, and on request those of older ones. */
export function TraceScores({ links }: { links: TraceLinks }) {
  const [newest, ...older] = [...Map.groupBy(links.scores, ({ evaluationId }) => evaluationId).values()]
  if (!newest) return null
  return (
    <FactSection title="Scores">
      <EvaluationScores scores={newest} />
      {older.length > 0 && (
        <details className="mt-2">
          <summary className="text-soft">
            {older.length === 1 ? 'An older evaluation' : countOf(older.length, 'older evaluation')}
          </summary>
          <div className="mt-2 flex flex-col gap-3 border-l-2 border-line pl-3">
            {older.map((scores) => (
              <EvaluationScores key={scores[0]?.evaluationId} scores={scores} />
            ))}
            {links.hasMore.scores && <p className="text-faint">There are more.</p>}
          </div>
        </details>
      )}
    </FactSection>
  )
}

function EvaluationScores({ scores }: { scores: Score[] }) {
  const [first] = scores
  if (!first) return null
  return (
    <div>
      <ul className="flex flex-col gap-2">
        {scores.map((score) => (
          <ScoreLine
            key={`${score.evaluator} ${score.repetition}`}
            score={score}
            isRepeated={isRepeated(score, scores)}
          />
        ))}
      </ul>
      <p className="mt-1.5 text-meta break-words text-faint">
        By {evaluationText(first)}, <RelativeTime time={first.createdAt} />
      </p>
    </div>
  )
}

function ScoreLine({ score, isRepeated }: { score: Score; isRepeated: boolean }) {
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <bdi className="font-medium wrap-anywhere">{metricTitle(score.evaluator)}</bdi>
        {isRepeated && <span className="text-meta text-faint">repetition {score.repetition}</span>}
        {score.score !== null && <span className="tabular-nums">{formatScore(score.score)}</span>}
        {score.label !== null && <bdi className="wrap-anywhere">{score.label}</bdi>}
        {score.passed !== null && (
          <span className={`ml-auto ${score.passed ? 'text-good' : 'text-danger'}`}>
            {score.passed ? 'pass' : 'fail'}
          </span>
        )}
      </p>
      {score.reason && (
        <p className="line-clamp-6 break-words text-soft" title={score.reason}>
          {score.reason}
        </p>
      )}
    </li>
  )
}

function isRepeated({ evaluator }: Score, scores: readonly Score[]): boolean {
  return scores.filter((other) => other.evaluator === evaluator).length > 1
}

/** An evaluation without a name is that of its run or its dataset. */
function evaluationText({ evaluationName, runId, runName, datasetName }: Score): string {
  if (evaluationName) return evaluationName
  if (runId === null) return `an evaluation of ${datasetName}`
  return `an evaluation of ${runName ?? `a run of ${datasetName}`}`
}
