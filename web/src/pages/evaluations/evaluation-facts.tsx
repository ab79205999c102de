import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { EvaluationDetail } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf, formatCost, formatDuration } from '../../ui/format-number.ts'
import { casesText, formatTime } from '../runs/run-title.ts'
import type { EvaluationNames } from './evaluation-names.ts'
import { type EvaluationResults, resultsOf } from './evaluation-results.ts'

interface EvaluationFactsProps {
  applicationId: string
  componentId: string
  evaluation: EvaluationDetail
  names: EvaluationNames
  spentUsd: number | null
}

const linkClass = 'touch-link underline decoration-edge underline-offset-3 hover:text-ink'

/** Dataset, run, cases, time, cost, split: one line under the title. */
export function EvaluationFacts({ applicationId, componentId, evaluation, names, spentUsd }: EvaluationFactsProps) {
  const { startedAt, completedAt, createdAt, datasetId } = evaluation
  const results = resultsOf(evaluation)
  const facts: ReactNode[] = [
    names.dataset && (
      <Link to={pagePaths.dataset(applicationId, componentId, datasetId)} className={linkClass}>
        {names.dataset}
      </Link>
    ),
    names.run && (
      <Link to={pagePaths.run(applicationId, componentId, names.run.id)} className={linkClass}>
        {names.run.title}
      </Link>
    ),
    names.run && casesText(names.run.traceCount),
    formatTime(startedAt ?? createdAt),
    startedAt && completedAt && `took ${formatDuration(Date.parse(completedAt) - Date.parse(startedAt))}`,
    results ? describeCost(results.cost) : spentUsd !== null && `${formatCost(spentUsd)} so far`,
    results && results.cost.unpricedScores > 0 && (
      <>
        cost of {countOf(results.cost.unpricedScores, 'score')} unknown,{' '}
        <Link to={pagePaths.settings(applicationId, 'prices')} className={linkClass}>
          set a price
        </Link>
      </>
    ),
    results?.split && `split ${results.split}`,
  ].filter(Boolean)
  return (
    <p className="mt-1 text-data text-pretty wrap-anywhere text-soft">
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts have no state
        <Fragment key={index}>
          {index > 0 && ' · '}
          {fact}
        </Fragment>
      ))}
    </p>
  )
}

function describeCost({ calls, spentUsd, maxUsd, unpricedScores }: EvaluationResults['cost']): string {
  if (calls === 0) return 'no model calls'
  if (unpricedScores > 0 && spentUsd === 0) return `${countOf(calls, 'call')} at unknown cost`
  const cap = maxUsd === null ? '' : ` of at most ${formatCost(maxUsd)}`
  return `${formatCost(spentUsd)}${cap} for ${countOf(calls, 'call')}`
}
