import type { ScoreGroup, ScoreSummary } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import type { OpenCases } from './use-evaluation-search.ts'

interface FailureSectionProps {
  summary: ScoreSummary
  onOpenCases: OpenCases
}

/** Why scores are missing: the reason first, most frequent first. */
export function FailureSection({ summary: { data, others }, onOpenCases }: FailureSectionProps) {
  if (data.length === 0) return null
  return (
    <section aria-labelledby="failures-title" className="min-w-0">
      <h2 id="failures-title" className="mb-3 font-display text-section font-semibold">
        Failures <span className="ml-2 font-sans text-data font-normal text-soft">{describeStates(data)}</span>
      </h2>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {data.map((group) => (
          <Failure key={`${group.evaluator} ${group.state} ${group.error}`} group={group} onOpenCases={onOpenCases} />
        ))}
      </ul>
      {others > 0 && (
        <p className="mt-2 text-meta text-faint">{countOf(others, 'more score')} with other reasons are not listed.</p>
      )}
    </section>
  )
}

function Failure({ group, onOpenCases }: { group: ScoreGroup; onOpenCases: OpenCases }) {
  const { evaluator, state, error, count, example } = group
  const words = settingsInWords(error ?? '')
  const attempts = example && example.attempts > 1 ? `, ${countOf(example.attempts, 'attempt')}` : ''
  return (
    <li className="grid grid-cols-[minmax(2rem,auto)_minmax(0,1fr)_auto] items-start gap-x-4 gap-y-2 px-5 py-3.5 max-sm:grid-cols-[minmax(1.5rem,auto)_minmax(0,1fr)] max-sm:px-4">
      <span
        className={`text-right font-display text-section font-semibold tabular-nums ${state === 'failed' ? 'text-warn' : 'text-soft'}`}
      >
        {formatCount(count)}
      </span>
      <div className="min-w-0 text-data">
        <p className="font-semibold wrap-anywhere">{words}</p>
        <p className="text-soft wrap-anywhere">
          {metricTitle(evaluator)}: {stateWords[state] ?? state}
          {attempts}
        </p>
        {example && example.error !== error && (
          <p className="mt-0.5 text-meta text-soft wrap-anywhere">
            For example: {settingsInWords(example.error ?? '')}
          </p>
        )}
      </div>
      <Button
        size="small"
        className="max-sm:col-start-2 max-sm:justify-self-start"
        onClick={() => onOpenCases({ metric: evaluator, state: openState(state), error: error ?? undefined })}
      >
        Open {formatCount(count)}
        <span className="sr-only">
          {' '}
          of {metricTitle(evaluator)}: {words}
        </span>
      </Button>
    </li>
  )
}

const stateWords: Partial<Record<ScoreGroup['state'], string>> = {
  failed: 'failed',
  skipped: 'skipped',
  retrying: 'tried again',
}

function openState(state: ScoreGroup['state']): 'failed' | 'skipped' | 'retrying' {
  return state === 'skipped' || state === 'retrying' ? state : 'failed'
}

function describeStates(groups: ScoreGroup[]): string {
  const parts = (['failed', 'retrying', 'skipped'] as const).flatMap((state) => {
    const count = groups.filter((group) => group.state === state).reduce((sum, group) => sum + group.count, 0)
    return count === 0 ? [] : [`${formatCount(count)} ${stateWords[state]}`]
  })
  return parts.join(', ')
}
