import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ComparedPair } from '../../api/comparison-query.ts'
import type { ShortenedText } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { DiffText } from '../../ui/diff-text/diff-text.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { ItemEvidence } from './item-evidence.tsx'
import { type Row, titleOf } from './row-model.ts'
import { useWholeTexts } from './use-whole-texts.ts'

interface ItemDetailProps {
  pair: ComparedPair
  row: Row
  names: { baseline: string; candidate: string }
  metric: string | undefined
  isDiffShown: boolean
}

const sides = ['baseline', 'candidate'] as const

/** One item: what was asked and expected, both answers side by side, and what judges and people say of each. */
export function ItemDetail({ pair, row, names, metric, isDiffShown }: ItemDetailProps) {
  const texts = useWholeTexts(pair, row)
  const facts = [
    texts?.number && `item ${formatCount(texts.number)}`,
    texts?.split,
    texts?.repetition && texts.repetition > 1 && `pair ${texts.repetition}`,
  ]
  const [before, after] = [texts?.baseline?.text, texts?.candidate?.text]
  return (
    <article aria-label="Item" className="min-w-0 p-5 max-sm:p-4">
      <p className="text-meta text-soft">{['Question', ...facts.filter(Boolean)].join(' · ')}</p>
      <h3 className="mt-1 max-h-40 max-w-[60ch] overflow-y-auto font-display text-section font-semibold wrap-anywhere whitespace-pre-wrap">
        {titleOf({ ...row, ...(texts && { texts }) })}
      </h3>
      {texts?.expected && (
        <div className="mt-3">
          <p className="text-meta text-soft">Expected</p>
          <p className="mt-1 max-w-[72ch] border-l-2 border-edge/50 pl-3 wrap-anywhere whitespace-pre-wrap text-soft">
            {texts.expected.text}
            {texts.expected.isCut && '…'}
          </p>
        </div>
      )}
      <div className="mt-5">
        {before !== undefined && after !== undefined && isDiffShown ? (
          <DiffText
            baseline={before}
            candidate={after}
            baselineTitle={<SideTitle side="baseline" pair={pair} row={row} name={names.baseline} />}
            candidateTitle={<SideTitle side="candidate" pair={pair} row={row} name={names.candidate} />}
          />
        ) : (
          <Columns>
            {(side) => (
              <>
                <div
                  className={`mb-3 border-b-2 pb-2 text-data font-medium ${side === 'baseline' ? 'border-series-1' : 'border-series-2'}`}
                >
                  <SideTitle side={side} pair={pair} row={row} name={names[side]} />
                </div>
                <Answer preview={texts?.[side]} hasTrace={row[`${side}TraceId`] !== null} name={names[side]} />
              </>
            )}
          </Columns>
        )}
      </div>
      <div className="mt-5">
        <Columns>
          {(side) => (
            <ItemEvidence applicationId={pair.applicationId} side={side} row={row} texts={texts} metric={metric} />
          )}
        </Columns>
      </div>
    </article>
  )
}

function Columns({ children }: { children: (side: 'baseline' | 'candidate') => ReactNode }) {
  return (
    <div className="@container">
      <div className="grid gap-x-6 gap-y-4 @xl:grid-cols-2">
        {sides.map((side) => (
          <div key={side} className="min-w-0">
            {children(side)}
          </div>
        ))}
      </div>
    </div>
  )
}

interface SideTitleProps {
  side: 'baseline' | 'candidate'
  pair: ComparedPair
  row: Row
  name: string
}

function SideTitle({ side, pair, row, name }: SideTitleProps) {
  const traceId = row[`${side}TraceId`]
  return (
    <span className="flex items-baseline justify-between gap-3">
      <span className="min-w-0 truncate">
        <SeriesIcon series={side} />
        <bdi>{name}</bdi>
      </span>
      {traceId && (
        <Link
          to={pagePaths.trace(pair.applicationId, traceId)}
          className="touch-link shrink-0 rounded-sm text-meta font-normal text-soft underline decoration-edge underline-offset-3 hover:text-ink"
        >
          Trace<span className="sr-only"> of {name}</span>
        </Link>
      )}
    </span>
  )
}

function Answer({
  preview,
  hasTrace,
  name,
}: {
  preview: ShortenedText | null | undefined
  hasTrace: boolean
  name: string
}) {
  if (!preview) return <p className="text-soft">{hasTrace ? 'No answer.' : `${name} has no trace of this item.`}</p>
  return (
    <p className="max-w-[72ch] text-body wrap-anywhere whitespace-pre-wrap">
      {preview.text}
      {preview.isCut && '…'}
    </p>
  )
}
