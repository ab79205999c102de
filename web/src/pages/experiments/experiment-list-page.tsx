import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useRef } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import { EXPERIMENT_SUMMARIES, experimentListQuery } from '../../api/experiments-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { niceDomain } from '../../ui/charts/percent-scale.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf, formatCount, formatDuration } from '../../ui/format-number.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { type ExperimentListSearch, type ListState, listStates } from './experiment-search.ts'
import { ExperimentStatus } from './experiment-status.tsx'
import { type ExperimentRow, experimentTitle, isCanceled, isOpen, optimizerWord } from './experiment-words.ts'
import { FindExperiment } from './find-experiment.tsx'
import { NumberTable } from './number-table.tsx'
import { ResumeButton } from './resume-button.tsx'
import { SpentBar } from './spent-bar.tsx'
import { StartAndBest } from './start-and-best.tsx'
import { TestSplitsCard } from './test-splits-card.tsx'
import { TwoNumbersCard } from './two-numbers-card.tsx'
import { VerdictCell } from './verdict-cell.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/experiments')

/** The experiments of a component: start and best on one scale, and the verdict of the sealed items. */
export function ExperimentListPage() {
  const ids = route.useParams()
  const { applicationId, componentId } = ids
  const search = route.useSearch()
  const { state, q, view } = search
  const navigate = useNavigate()
  const query = useInfiniteQuery(experimentListQuery(applicationId, componentId))
  useLiveQuery(applicationId, ['experiments'], apiKey(EXPERIMENT_SUMMARIES, applicationId), { pauseMs: 1_500 })
  const notEditable = missingRole(useMe(), 'editor', 'Starting an experiment')
  const create = () => void navigate({ to: pagePaths.newExperiment(applicationId, componentId) })
  useShortcut('newExperiment', notEditable === undefined ? create : undefined)
  const region = useRef<HTMLDivElement>(null)
  useShortcut('nextExperiment', () => moveFocus(region.current, 1))
  useShortcut('previousExperiment', () => moveFocus(region.current, -1))
  const button = (
    <Button look="primary" disabledReason={notEditable} onClick={create} className="max-sm:flex-auto">
      New experiment
      <ShortcutKeys id="newExperiment" />
    </Button>
  )
  const rows = query.data?.rows ?? []
  const shown = rows.filter((row) => (state === undefined || stateOf(row) === state) && matches(row, q))
  useShortcut('experimentNumbers', () => void choose({ view: view === 'table' ? undefined : 'table' }))
  return (
    <ComponentFrame {...ids} part="Experiments" actions={rows.length > 0 && button}>
      <h2 className="sr-only">Experiments</h2>
      {query.error && <QueryError query={query} />}
      {!query.data && !query.error && <Skeleton rows={5} />}
      {query.data && rows.length === 0 && (
        <EmptyState
          icon={FlaskConical}
          title="No experiment yet"
          text="An experiment lets a model propose better versions of a prompt, and finds out on sealed items whether the best one really is better. It needs a dataset with about 60 items."
          action={button}
        />
      )}
      {rows.length > 0 && (
        <div ref={region}>
          <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
            <FindExperiment value={q} onChange={(next) => void choose({ q: next })} />
            <Filters
              rows={rows}
              state={state}
              isWhole={!query.hasNextPage}
              onChoose={(next) => void choose({ state: next })}
            />
            <span className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-soft">
              {view !== 'table' && (
                <span>
                  <SeriesIcon series="baseline" />
                  start <SeriesIcon series="candidate" />
                  best proposal, on validation items; bars are 95 % intervals
                </span>
              )}
              <button
                type="button"
                aria-pressed={view === 'table'}
                onClick={() => void choose({ view: view === 'table' ? undefined : 'table' })}
                className="touch-link flex items-center gap-1.5 rounded-sm underline decoration-edge underline-offset-3 hover:text-ink"
              >
                Numbers only <ShortcutKeys id="experimentNumbers" />
              </button>
            </span>
          </div>
          {view === 'table' ? (
            <NumberTable {...ids} rows={shown} />
          ) : (
            <Rows ids={ids} rows={shown} all={rows} splits={query.data?.splits ?? []} />
          )}
          {shown.length === 0 && (
            <p className="mt-3 text-data text-soft">
              {q === undefined ? 'No experiment is in this state.' : 'No experiment has these words.'}
            </p>
          )}
          <LoadMore
            hasMore={query.hasNextPage}
            isLoading={query.isFetchingNextPage}
            onLoad={() => void query.fetchNextPage()}
          />
          <div className="mt-4 grid items-stretch gap-4 lg:grid-cols-2">
            <TestSplitsCard {...ids} splits={query.data?.splits ?? []} />
            <TwoNumbersCard applicationId={applicationId} rows={rows} isWhole={!query.hasNextPage} />
          </div>
        </div>
      )}
    </ComponentFrame>
  )

  function choose(changes: Partial<ExperimentListSearch>) {
    return navigate({
      to: pagePaths.experiments(applicationId, componentId),
      search: { ...search, ...changes },
      replace: true,
      resetScroll: false,
    })
  }
}

function stateOf(row: ExperimentRow): ListState {
  if (isOpen(row)) return 'open'
  if (row.status === 'failed') return isCanceled(row) ? 'canceled' : 'failed'
  switch (row.result?.verdict) {
    case 'improved':
      return 'better'
    case 'regressed':
      return 'worse'
    case 'tooFewCases':
      return 'tooFew'
    case 'noFinalist':
      return 'sealed'
    default:
      return 'unclear'
  }
}

/** Each word, in what a row shows as text. */
function matches(row: ExperimentRow, q: string | undefined): boolean {
  if (q === undefined) return true
  const text = [experimentTitle(row), row.prompt.name, row.dataset.name, optimizerWord(row.optimizer)].join('\n')
  const words = q.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}

const stateTitles: Record<ListState, string> = {
  open: 'running or waiting',
  better: 'better',
  worse: 'worse',
  unclear: 'no clear difference',
  tooFew: 'too few cases',
  sealed: 'nothing found',
  failed: 'failed',
  canceled: 'canceled',
}

interface FiltersProps {
  rows: readonly ExperimentRow[]
  state: ListState | undefined
  /** Whether all rows are loaded: otherwise a count would be too low. */
  isWhole: boolean
  onChoose: (state: ListState | undefined) => void
}

function Filters({ rows, state, isWhole, onChoose }: FiltersProps) {
  const counts = Map.groupBy(rows, stateOf)
  const known = listStates.filter((one) => counts.has(one) || one === state)
  if (known.length < 2 && state === undefined) return <span />
  const chip = (value: ListState | undefined, title: string, count: number) => (
    <button
      key={title}
      type="button"
      aria-pressed={state === value}
      onClick={() => onChoose(value)}
      className="flex min-h-7 items-center gap-1.5 rounded-full border border-edge bg-surface px-3 text-data aria-pressed:border-action aria-pressed:bg-action aria-pressed:text-on-action touch:min-h-11"
    >
      {title}
      {isWhole && <b className="font-semibold tabular-nums">{formatCount(count)}</b>}
    </button>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is shown
    <div role="group" aria-label="State" className="flex flex-wrap gap-2">
      {chip(undefined, 'all', rows.length)}
      {known.map((one) => chip(one, stateTitles[one], counts.get(one)?.length ?? 0))}
    </div>
  )
}

interface RowsProps {
  ids: { applicationId: string; componentId: string }
  rows: ExperimentRow[]
  /** Also those that are not shown: the scales stay as they are. */
  all: readonly ExperimentRow[]
  splits: { datasetId: string; testItems: number }[]
}

function Rows({ ids: { applicationId, componentId }, rows, all, splits }: RowsProps) {
  const personOf = usePersonName(applicationId)
  const ends = all.flatMap(({ validation }) => [...(validation?.startCi ?? []), ...(validation?.best?.ci ?? [])])
  const domain = ends.length === 0 ? ([0, 1] as const) : niceDomain(ends)
  const reach = Math.max(0.05, ...all.flatMap(({ result }) => (result?.ci ?? []).map(Math.abs)))
  const metrics = new Set(all.map(({ metric }) => metric))
  const [common] = metrics.size === 1 ? metrics : []
  const columns: Column<ExperimentRow>[] = [
    {
      title: 'Experiment',
      isRowHeader: true,
      cell: (row) => (
        <>
          <Link
            to={pagePaths.experiment(applicationId, componentId, row.id)}
            className="touch-link font-semibold underline-offset-4 hover:underline"
          >
            <bdi>{experimentTitle(row)}</bdi>
          </Link>
          <span className="block text-meta text-soft">
            <bdi>{row.prompt.name ?? 'a deleted prompt'}</bdi> v{row.prompt.version} · {optimizerWord(row.optimizer)} ·{' '}
            <bdi>{row.dataset.name}</bdi>
          </span>
        </>
      ),
    },
    {
      title: 'State',
      cell: (row) => (
        <>
          <ExperimentStatus experiment={row} />
          <span className="mt-1 block text-meta text-soft">{progressText(row)}</span>
        </>
      ),
    },
    {
      title: common ? `${metricTitle(common)}, start and best so far` : 'Start and best so far',
      cell: (row) => (
        <>
          {!common && (
            <span className="block text-meta text-soft">{row.metric ? metricTitle(row.metric) : 'score'}</span>
          )}
          <StartAndBest row={row} domain={domain} />
        </>
      ),
    },
    {
      title: 'Verdict on the sealed test items',
      cell: (row) => (
        <VerdictCell
          row={row}
          domain={[-reach, reach]}
          testItems={splits.find(({ datasetId }) => datasetId === row.dataset.id)?.testItems ?? 0}
          action={
            isResumable(row) && <ResumeButton experimentKey={{ applicationId, componentId, experimentId: row.id }} />
          }
        />
      ),
    },
    { title: 'Spent', cell: ({ cost }) => <SpentBar {...cost} /> },
    {
      title: 'Started',
      cell: (row) => (
        <>
          <RelativeTime time={row.startedAt ?? row.createdAt} />
          <span className="block text-meta text-soft">
            <bdi>{personOf(row.createdBy)}</bdi>
          </span>
        </>
      ),
    },
  ]
  return <Table caption="Experiments" columns={columns} rows={rows} rowKey={({ id }) => id} />
}

/** Failed before its test: a test split is opened once. */
function isResumable({ status, phase, startedAt, ...row }: ExperimentRow): boolean {
  const isBeforeTest = phase === 'searching' || phase === 'choosing'
  return status === 'failed' && startedAt !== null && isBeforeTest && !isCanceled({ status, ...row })
}

function progressText({ status, proposals, validated, phase, startedAt, completedAt }: ExperimentRow): string {
  if (status === 'pending') return 'not started'
  if (phase === 'testing') return 'the test is running'
  const made = countOf(proposals, 'proposal')
  if (status === 'failed') return `${made} kept`
  if (status === 'running' || startedAt === null || completedAt === null)
    return `${made}, ${formatCount(validated)} validated`
  return `${made}, ${formatDuration(Date.parse(completedAt) - Date.parse(startedAt))}`
}

/** From row to row; Enter opens it. */
function moveFocus(region: HTMLElement | null, by: 1 | -1): void {
  const links = [...(region?.querySelectorAll<HTMLElement>('tbody th a') ?? [])]
  const active = document.activeElement
  const at = active instanceof HTMLElement ? links.indexOf(active) : -1
  links[at < 0 ? (by === 1 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}
