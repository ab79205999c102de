import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import type { EvaluationKey } from '../../api/components-query.ts'
import { caseQuery } from '../../api/evaluation-query.ts'
import type { EvaluationCase } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { countOf, formatCost, formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { settingsInWords } from '../../ui/setting-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TitledText } from '../trace/titled-text.tsx'
import { ScoreMark } from './case-score.tsx'

interface CasePeekProps {
  evaluationKey: EvaluationKey
  caseId: string
  /** In the order in which the scores are shown. */
  metrics: string[]
  position: string | undefined
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onClose: () => void
}

/** One case next to the list: what was asked, expected and answered, and every score with its reason. */
export function CasePeek({ evaluationKey, caseId, metrics, position, ...on }: CasePeekProps) {
  const query = useQuery(caseQuery(evaluationKey, caseId))
  const { data: found } = query
  return (
    <PeekPanel
      label="Case"
      {...(position && { position })}
      {...on}
      openLink={
        found?.hasTrace &&
        found.traceDbId !== null && (
          <Link
            to={pagePaths.trace(evaluationKey.applicationId, found.traceDbId)}
            className={buttonClass('quiet', 'small')}
          >
            <Maximize2 aria-hidden className="size-3.5" />
            Open trace
          </Link>
        )
      }
    >
      {query.error && <QueryError query={query} />}
      {query.isPending && <Skeleton rows={4} />}
      {found === null && <p className="text-soft">This evaluation does not have this case.</p>}
      {found && <CaseContent found={found} metrics={metrics} />}
    </PeekPanel>
  )
}

function CaseContent({ found, metrics }: { found: EvaluationCase; metrics: string[] }) {
  const { input, expected, output, scores, scoreCount, hasTrace, traceDbId } = found
  return (
    <>
      <TitledText title="Question" text={input} />
      {expected !== null && <TitledText title="Expected" text={expected} />}
      <TitledText title="Answer" text={output} />
      {!hasTrace && traceDbId !== null && (
        <p className="mb-3 text-data text-soft">The trace has not arrived, or was deleted.</p>
      )}
      <h2 className="mt-5 mb-1 text-meta font-medium text-faint">Scores</h2>
      <ul className="divide-y divide-line border-y border-line">
        {scores
          .toSorted((a, b) => metrics.indexOf(a.evaluator) - metrics.indexOf(b.evaluator))
          .map((score) => (
            <li key={`${score.evaluator} ${score.repetition}`} className="py-2 text-data">
              <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
                <b className="font-semibold wrap-anywhere">{metricTitle(score.evaluator)}</b>
                {score.repetition > 1 && <span className="text-meta text-faint">repetition {score.repetition}</span>}
                <ScoreMark score={score} />
                <span className="ml-auto text-meta text-faint tabular-nums">{describeCall(score)}</span>
              </p>
              {score.error && (
                <p
                  className={`mt-1 rounded-control px-2.5 py-1.5 wrap-anywhere ${score.state === 'skipped' ? 'bg-sunken' : 'bg-warn-wash'}`}
                >
                  {settingsInWords(score.error)}
                </p>
              )}
              {score.reason && <p className="mt-1 wrap-anywhere whitespace-pre-wrap text-soft">{score.reason}</p>}
            </li>
          ))}
      </ul>
      {scoreCount > scores.length && (
        <p className="mt-2 text-meta text-faint">
          The first {formatCount(scores.length)} of {countOf(scoreCount, 'score')}.
        </p>
      )}
    </>
  )
}

function describeCall({ attempts, costUsd }: EvaluationCase['scores'][number]): string {
  return [
    ...(attempts > 1 ? [countOf(attempts, 'attempt')] : []),
    ...(costUsd === null ? [] : [formatCost(costUsd)]),
  ].join(' · ')
}
