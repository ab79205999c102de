import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, useMemo } from 'react'
import type { TrialDetail } from '../../api/generated/api.ts'
import { compactMatrixQuery } from '../../api/trial-matrix-query.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { linearTicks } from '../../ui/charts/ticks.ts'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { type Bar, type Barcode, type BarKind, readBarcode } from './barcode-model.ts'
import { markPlaces, type Variant } from './trial-words.ts'
import { VariantMark } from './variant-mark.tsx'

interface CallBarcodeProps {
  trialKey: TrialKey
  trial: TrialDetail
  /** Shows the items from this number on. */
  onOpen: (item: number) => void
}

const ROW_HEIGHT = 20
/** The worst score is a short red mark and not an empty column, which has no answer yet. */
const WORST_HEIGHT = 0.14

/** All calls at once: one column for each item, and its height how good the answers are. */
export function CallBarcode({ trialKey, trial, onOpen }: CallBarcodeProps) {
  const query = useQuery(compactMatrixQuery(trialKey))
  const { compact, metric, scale } = query.data ?? {}
  const { variants, plan } = trial
  const barcode = useMemo(
    () => readBarcode(compact ?? '', { variants: variants.length, repetitions: plan.repetitions }),
    [compact, variants.length, plan.repetitions],
  )
  if (query.error) return <QueryError query={query} />
  if (compact == null) return <Skeleton rows={variants.length + 2} />
  if (barcode.items === 0) return null
  const isScored = scale != null && /\d/.test(compact)
  const marks = markPlaces(trial)
  const rows = variants.map((variant, index) => ({ variant, row: barcode.rows[index] }))
  const legend = legendOf(trial, { isScored, metric: metric ?? null })
  return (
    <ChartWithTable
      title="All calls"
      note={`${barcode.itemsPerColumn === 1 ? 'each column an item' : `each column ${barcode.itemsPerColumn} items`}, ${isScored ? `its height ${metricTitle(metric ?? '')}` : 'its color the state'}`}
      summary={`${formatCount(barcode.items)} items and ${variants.length} variants. The table has how many items each variant answered, and how well.`}
      table={tableOf(rows, isScored)}
    >
      <div className="grid gap-y-1 sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)] sm:gap-x-4">
        {rows.map(({ variant, row }) => (
          <div key={variant.name} className="contents">
            <span aria-hidden className="min-w-0 truncate text-data">
              <VariantMark place={marks.get(variant.name) ?? -1} />
              <bdi>{variant.name}</bdi>
            </span>
            <Row bars={row?.bars ?? []} barcode={barcode} onOpen={onOpen} />
          </div>
        ))}
        <span aria-hidden className="max-sm:hidden" />
        <AxisLabels labels={axisOf(barcode.items)} />
      </div>
      <p aria-hidden className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-meta text-soft">
        {legend.map(({ text, className, height }) => (
          <span key={text} className="flex items-end gap-1.5">
            <span className="flex h-3 w-1.5 items-end">
              <span className={`w-full ${className}`} style={{ height: `${100 * height}%` }} />
            </span>
            {text}
          </span>
        ))}
      </p>
    </ChartWithTable>
  )
}

interface RowProps {
  bars: Bar[]
  barcode: Barcode
  onOpen: (item: number) => void
}

/** One path for each look, so that thousands of bars are a few elements. The list below has the same items for the keyboard. */
function Row({ bars, barcode: { columns, items, itemsPerColumn }, onOpen }: RowProps) {
  const paths = useMemo(() => pathsOf(bars, columns), [bars, columns])
  const open = ({ clientX, currentTarget }: MouseEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((clientX - left) / width) * columns)))
    onOpen(Math.min(items, column * itemsPerColumn + 1))
  }
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${columns} 1`}
      preserveAspectRatio="none"
      height={ROW_HEIGHT}
      onClick={open}
      className="block w-full cursor-pointer border-b border-line bg-sunken/50"
    >
      {paths.map(({ look, d }) => (
        <path key={look} d={d} className={lookClass[look]} />
      ))}
    </svg>
  )
}

type Look = BarKind | 'worst'

const lookClass: Record<Look, string> = {
  scored: 'fill-series-3',
  worst: 'fill-danger-fill',
  answered: 'fill-mark',
  failed: 'fill-danger-fill opacity-45',
  running: 'fill-gold',
  waiting: 'fill-transparent',
  skipped: 'fill-edge opacity-35',
}

/** Single bars have a gap between them as long as it can be seen. */
function pathsOf(bars: readonly Bar[], columns: number): { look: Look; d: string }[] {
  const gap = columns > 300 ? 0 : 0.18
  const byLook = Map.groupBy(bars, (bar): Look => (bar.kind === 'scored' && bar.height <= 0 ? 'worst' : bar.kind))
  byLook.delete('waiting')
  return [...byLook].map(([look, some]) => ({
    look,
    d: some
      .map(({ at, width, height }) => {
        const top = 1 - Math.max(height, WORST_HEIGHT)
        const bar = (x: number, w: number) => `M${x} ${top.toFixed(3)}h${w.toFixed(2)}V1h${(-w).toFixed(2)}z`
        if (gap === 0) return bar(at, width)
        return Array.from({ length: width }, (_, index) => bar(at + index, 1 - gap)).join('')
      })
      .join(''),
  }))
}

function axisOf(items: number) {
  const ticks = linearTicks([1, items], 4).filter((tick) => tick > 1 && tick < items && Number.isInteger(tick))
  return [1, ...ticks, ...(items > 1 ? [items] : [])].map((item) => ({
    at: (100 * (item - 0.5)) / items,
    text: item === 1 ? 'item 1' : formatCount(item),
    key: String(item),
  }))
}

function legendOf({ plan, progress }: TrialDetail, { isScored, metric }: { isScored: boolean; metric: string | null }) {
  const many = plan.repetitions > 1
  const scored = [
    { text: many ? `best each time` : 'best', className: 'bg-series-3', height: 1 },
    { text: many ? 'in between' : 'lower', className: 'bg-series-3', height: 0.5 },
    { text: many ? 'worst each time' : 'worst', className: 'bg-danger-fill', height: 2 * WORST_HEIGHT },
  ]
  return [
    ...(isScored ? scored : []),
    ...(isScored && progress.done > 0
      ? []
      : [{ text: metric ? 'answered, no score yet' : 'answered', className: 'bg-mark', height: 1 }]),
    ...(progress.failed > 0 ? [{ text: 'no answer', className: 'bg-danger-fill opacity-45', height: 1 }] : []),
    { text: 'running', className: 'bg-gold', height: 1 },
    ...(progress.skipped > 0 ? [{ text: 'skipped', className: 'bg-edge opacity-35', height: 1 }] : []),
  ]
}

function tableOf(rows: { variant: Variant; row: Barcode['rows'][number] | undefined }[], isScored: boolean) {
  const columns = [
    ...(isScored
      ? ([
          ['Best each time', 'best'],
          ['In between', 'some'],
          ['Worst each time', 'worst'],
        ] as const)
      : []),
    ['Answered, no score', 'answered'],
    ['No answer', 'failed'],
    ['Not ended', 'open'],
    ['Skipped', 'skipped'],
  ] as const
  return {
    columns: [{ title: 'Variant' }, ...columns.map(([title]) => ({ title, align: 'right' as const }))],
    rows: rows.map(({ variant, row }) => [
      variant.name,
      ...columns.map(([, key]) => formatCount(row?.counts[key] ?? 0)),
    ]),
  }
}
