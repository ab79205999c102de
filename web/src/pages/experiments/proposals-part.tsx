import { useRef } from 'react'
import type { ExperimentKey } from '../../api/experiments-query.ts'
import type { ExperimentDetail, ExperimentResults } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { niceDomain } from '../../ui/charts/percent-scale.ts'
import { formatScore } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { FateIcon } from './chart-marks.tsx'
import { useExperimentSearch } from './experiment-search.ts'
import { bestFinalist, type CoursePoint } from './experiment-words.ts'
import { fateText, groupOf, pointTitle } from './fates.ts'
import { ProposalDetail } from './proposal-detail.tsx'
import { ProposalTable } from './proposal-table.tsx'
import { type TreeRow, treeOf } from './proposal-tree.ts'

interface ProposalsPartProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  points: readonly CoursePoint[]
  results: ExperimentResults | undefined
}

/** Every proposal below what it improves on, with the reason of its end, and the one that is selected. */
export function ProposalsPart({ experimentKey, experiment, points, results }: ProposalsPartProps) {
  const { search, change } = useExperimentSearch()
  const list = useRef<HTMLUListElement>(null)
  const rows = treeOf(points)
  const wanted =
    search.proposal ?? (results && bestFinalist(results)?.iteration) ?? experiment.validation?.best?.number ?? 0
  const at = Math.max(
    0,
    rows.findIndex(({ point }) => point.number === wanted),
  )
  const shown = rows[at]?.point
  const show = (number: number | undefined) => {
    if (number === undefined) return
    change({ proposal: number })
    list.current?.querySelector(`[data-number="${number}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  useShortcut('nextProposal', () => show(rows[at + 1]?.point.number))
  useShortcut('previousProposal', () => show(rows[at - 1]?.point.number))
  useShortcut('parentProposal', () => show(shown?.parent ?? undefined))
  useShortcut('childProposal', () => show(rows.find(({ point }) => point.parent === shown?.number)?.point.number))
  const against = search.against ?? 'start'
  useShortcut('toggleAgainst', () => change({ against: against === 'start' ? 'parent' : undefined }))
  if (!shown) return null
  const ends = points.flatMap(({ ci }) => ci ?? [])
  const domain = ends.length === 0 ? ([0, 1] as const) : niceDomain(ends)
  return (
    <section aria-labelledby="proposals" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id="proposals" className="font-display text-section font-semibold">
          Proposals
        </h2>
        <span className="text-data text-soft">by parent, with the reason of each one’s end</span>
        <span className="ml-auto flex items-center gap-3 text-meta text-faint max-lg:hidden">
          <span>
            <ShortcutKeys id="nextProposal" /> <ShortcutKeys id="previousProposal" /> next
          </span>
          <span>
            <ShortcutKeys id="parentProposal" /> <ShortcutKeys id="childProposal" /> parent, child
          </span>
          <span>
            <ShortcutKeys id="toggleAgainst" /> against start or parent
          </span>
          <span>
            <ShortcutKeys id="proposalTable" /> {search.view === 'table' ? 'tree' : 'table'}
          </span>
        </span>
      </div>
      {search.view === 'table' && (
        <div className="mb-4">
          <ProposalTable points={points} shown={shown.number} onShow={(number) => change({ proposal: number })} />
        </div>
      )}
      <div
        className={`grid rounded-card border border-line bg-surface shadow-lift ${search.view === 'table' ? '' : 'lg:grid-cols-[minmax(0,12fr)_minmax(0,13fr)]'}`}
      >
        <ul
          hidden={search.view === 'table'}
          ref={list}
          aria-label="All proposals"
          className="relative min-w-0 divide-y divide-line/60 border-line [&[hidden]]:hidden max-lg:max-h-96 max-lg:overflow-y-auto max-lg:border-b lg:border-r"
        >
          {rows.map((row) => (
            <ProposalRow
              key={row.point.number}
              row={row}
              domain={domain}
              isShown={row.point === shown}
              version={experiment.version}
              onShow={() => change({ proposal: row.point.number })}
            />
          ))}
        </ul>
        <ProposalDetail
          key={`${shown.number}`}
          experimentKey={experimentKey}
          experiment={experiment}
          point={shown}
          against={against}
          isAhead={experiment.validation?.best?.number === shown.number && shown.number > 0}
          onAgainst={(next) => change({ against: next === 'parent' ? next : undefined })}
        />
      </div>
    </section>
  )
}

interface ProposalRowProps {
  row: TreeRow
  domain: readonly [number, number]
  isShown: boolean
  version: number
  onShow: () => void
}

/** Deeper ones would leave no room for their words. */
const DEPTH_MAX = 6

function ProposalRow({ row: { point, depth, continues }, domain, isShown, version, onShow }: ProposalRowProps) {
  const { number, mean, ci, answered } = point
  const group = groupOf(point)
  const isScored = group === 'start' || group === 'front' || group === 'validated'
  const estimate = toEstimate({ mean, ci, n: answered }, '')
  const shape = group === 'front' ? 'candidate' : group === 'start' ? 'baseline' : 'plain'
  return (
    <li data-number={number}>
      <button
        type="button"
        aria-current={isShown || undefined}
        onClick={onShow}
        className="flex min-h-8 w-full min-w-0 items-center gap-2 pr-4 text-left text-data hover:bg-hover/50 focus-visible:-outline-offset-2 aria-[current]:bg-selected aria-[current]:shadow-[inset_3px_0_0_var(--color-gold)] touch:min-h-11"
      >
        <span aria-hidden className="flex shrink-0 self-stretch pl-3">
          {continues.slice(-DEPTH_MAX).map((goesOn, level, all) => (
            <Branch
              // biome-ignore lint/suspicious/noArrayIndexKey: a level is its place
              key={level}
              goesOn={goesOn}
              isOwn={level === all.length - 1}
            />
          ))}
        </span>
        <FateIcon group={group} />
        <span
          className={`min-w-0 flex-1 truncate ${isScored ? (isShown || group === 'front' ? 'font-semibold' : '') : 'text-soft'}`}
        >
          {depth === 0 ? (
            <>
              <b className="font-semibold">v{version}</b>, the start
            </>
          ) : (
            <>
              <span className="mr-2 tabular-nums">{number}</span>
              <bdi>{pointTitle(point)}</bdi>
            </>
          )}
        </span>
        {isScored && hasMean(estimate) ? (
          <span data-estimate="" className="grid shrink-0 grid-cols-[auto_56px] items-center gap-2 tabular-nums">
            <b data-mean="" className="font-semibold">
              {formatScore(estimate.mean)}
            </b>
            <span className="sr-only">
              95 % interval {formatScore(estimate.low)} to {formatScore(estimate.high)}, n {answered}
            </span>
            <IntervalGlyph marks={[{ series: shape, estimate }]} domain={domain} />
          </span>
        ) : (
          <span className="max-w-[55%] shrink-0 truncate text-meta text-soft tabular-nums">{fateText(point)}</span>
        )}
      </button>
    </li>
  )
}

/** The line from the parent; it goes on below if siblings follow. */
function Branch({ goesOn, isOwn }: { goesOn: boolean; isOwn: boolean }) {
  return (
    <span className="relative block w-4">
      {(goesOn || isOwn) && (
        <span className={`absolute left-1.5 border-l border-edge/50 ${goesOn ? 'inset-y-0' : 'top-0 h-1/2'}`} />
      )}
      {isOwn && <span className="absolute top-1/2 left-1.5 w-2 border-t border-edge/50" />}
    </span>
  )
}
