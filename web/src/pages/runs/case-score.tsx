import { Check, X } from 'lucide-react'
import type { RunCaseRow, RunCaseScore } from '../../api/generated/api.ts'
import { formatCount, formatMetric } from '../../ui/format-number.ts'

/** What an evaluator found: a mark and the value. For repetitions, how many passed, or how the values spread. */
export function CaseScore({ row, evaluator }: { row: RunCaseRow; evaluator: string }) {
  const spread = row.spread.find((one) => one.evaluator === evaluator)
  const scores = row.cases.flatMap((one) => one.scores.filter((score) => score.evaluator === evaluator))
  const [first] = scores
  if (!first) return <span className="text-faint">–</span>
  if (!spread) return <span className="text-soft">{stateWords[first.state]}</span>
  if (spread.n === 1 || row.repetitions === 1) return <ScoreValue score={first} />
  if (spread.passed !== null) {
    return (
      <span className="inline-flex items-center gap-1 whitespace-nowrap tabular-nums">
        <PassMark isPassed={spread.passed === spread.n} />
        {formatCount(spread.passed)} of {formatCount(spread.n)} passed
      </span>
    )
  }
  if (spread.min === null || spread.max === null) return <span className="text-soft">differ</span>
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${formatCount(spread.n)} repetitions`}>
      {spread.min === spread.max
        ? formatMetric(spread.min)
        : `${formatMetric(spread.min)} to ${formatMetric(spread.max)}`}
    </span>
  )
}

/** One score: the mark if the evaluator has a pass mark, and the value unless the mark says all. */
export function ScoreValue({ score: { state, score, label, passed } }: { score: RunCaseScore }) {
  if (state !== 'scored') return <span className="text-soft">{stateWords[state]}</span>
  const isMarkAlone = passed !== null && score === Number(passed)
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap tabular-nums">
      {passed !== null && <PassMark isPassed={passed} />}
      {label !== null && <bdi className="truncate">{label}</bdi>}
      {isMarkAlone && label === null && <span className="text-soft">{passed ? 'passed' : 'not passed'}</span>}
      {!isMarkAlone && label === null && score !== null && formatMetric(score)}
      {passed === null && label === null && score === null && <span className="text-soft">differ</span>}
    </span>
  )
}

function PassMark({ isPassed }: { isPassed: boolean }) {
  return isPassed ? (
    <Check aria-hidden className="size-3.5 shrink-0 text-good" />
  ) : (
    <X aria-hidden className="size-3.5 shrink-0 text-danger" />
  )
}

const stateWords: Record<RunCaseScore['state'], string> = {
  queued: 'waiting',
  running: 'running',
  retrying: 'retrying',
  scored: 'scored',
  failed: 'failed',
  skipped: 'skipped',
}
