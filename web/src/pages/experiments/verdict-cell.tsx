import { ArrowDown, ArrowUp, CircleDashed, Equal, EqualApproximately, Lock, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { countOf, formatCount, formatDifference } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { type ExperimentRow, type ExperimentVerdict, isCanceled } from './experiment-words.ts'

interface Look {
  word: string
  icon: LucideIcon
  className: string
}

/** Shape and word first, color second. */
const looks: Record<ExperimentVerdict, Look> = {
  improved: { word: 'better', icon: ArrowUp, className: 'text-good' },
  regressed: { word: 'worse', icon: ArrowDown, className: 'text-danger' },
  equivalent: { word: 'equivalent', icon: Equal, className: 'text-ink' },
  noClearDifference: { word: 'no clear difference', icon: EqualApproximately, className: 'text-soft' },
  tooFewCases: { word: 'too few cases', icon: CircleDashed, className: 'text-soft' },
  noFinalist: { word: 'sealed', icon: Lock, className: 'text-soft' },
  noVerdict: { word: 'no verdict', icon: CircleDashed, className: 'text-soft' },
}

function lookOf({ result }: ExperimentRow): Look {
  return result?.verdict ? looks[result.verdict] : SEALED
}

export function verdictWord(row: ExperimentRow): string {
  return lookOf(row).word
}

const SEALED: Look = { word: 'sealed', icon: Lock, className: 'text-soft' }

interface VerdictCellProps {
  row: ExperimentRow
  /** The same for all rows. */
  domain: readonly [number, number]
  testItems: number
  /** What can be done about it, such as Resume. */
  action?: ReactNode
}

/** What the sealed items say, and nothing before they were opened. */
export function VerdictCell({ row, domain, testItems, action }: VerdictCellProps) {
  const { result } = row
  const look = lookOf(row)
  const Icon = look.icon
  const estimate = result && toEstimate({ mean: result.difference, ci: result.ci, n: result.items }, '')
  return (
    <div className="min-w-0">
      <p className={`flex items-center gap-1.5 font-semibold ${look.className}`}>
        <Icon aria-hidden className="size-3.5 shrink-0" />
        {look.word}
      </p>
      {estimate && hasMean(estimate) ? (
        <p
          data-estimate=""
          className="mt-1 grid grid-cols-[auto_56px] items-center justify-start gap-x-2 tabular-nums wide:grid-cols-[auto_56px_auto]"
        >
          <b data-mean="" className="font-semibold">
            {formatDifference(estimate.mean)}
          </b>
          <IntervalGlyph
            marks={[{ series: 'candidate', estimate, isUnclear: estimate.low <= 0 && estimate.high >= 0 }]}
            domain={domain}
            change="difference"
          />
          <span className="text-meta whitespace-nowrap text-faint max-wide:col-span-2">
            {formatDifference(estimate.low)} to {formatDifference(estimate.high)} · n {formatCount(estimate.n)}
          </span>
        </p>
      ) : (
        <p className="mt-0.5 text-meta text-soft text-pretty wrap-anywhere">{sealedText(row, testItems)}</p>
      )}
      {action}
    </div>
  )
}

function sealedText(row: ExperimentRow, testItems: number): string {
  const { status, error, result } = row
  if (isCanceled(row)) return 'never opened'
  if (status === 'failed') return settingsInWords(error ?? 'It could not go on.')
  if (result?.verdict === 'noFinalist') return 'no proposal beat the start'
  if (result?.verdict === 'tooFewCases') return `${countOf(result.items, 'test item')}, a verdict needs 30`
  if (result) return `${countOf(result.items, 'test item')}`
  return `${countOf(testItems, 'test item')}, opened at the end`
}
