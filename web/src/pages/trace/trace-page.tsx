import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Link2, PanelRight } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { outlineQuery, spanQuery, traceQuery } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplicationCrumb } from '../shell/use-application.ts'
import { readListParameter } from '../traces/listed-trace.ts'
import { TraceNeighbors } from '../traces/trace-neighbors.tsx'
import { AddTraceToDataset } from './add-trace-to-dataset.tsx'
import { MappingDialog } from './mapping-dialog.tsx'
import {
  buildOutline,
  defaultSpan,
  nextFailedSpan,
  type OutlineModel,
  type OutlineSpan,
  visibleSpans,
} from './outline-model.ts'
import { SpanDetail } from './span-detail.tsx'
import { SpanPanel } from './span-panel.tsx'
import { TraceComments } from './trace-comments.tsx'
import { TraceConversation } from './trace-conversation.tsx'
import { TraceFacts } from './trace-facts.tsx'
import { TraceRating } from './trace-rating.tsx'
import type { TracePanel, TraceSearch, TraceView } from './trace-search.ts'
import { TraceSummary } from './trace-summary.tsx'
import { contentLooks, useContentLook } from './use-content-look.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/traces/$traceId')

export function TracePage() {
  const traceKey = route.useParams()
  const search = route.useSearch()
  const { span: chosenId, view = 'tree', panel = 'answer', list } = search
  const { data: trace } = useSuspenseQuery(traceQuery(traceKey))
  const { data: columns } = useSuspenseQuery(outlineQuery(traceKey))
  const outline = useMemo(() => buildOutline(columns), [columns])
  const selectedId = chosenId ?? defaultSpan(outline)?.spanId
  const spanState = useQuery({ ...spanQuery(traceKey, selectedId ?? ''), enabled: selectedId !== undefined })
  const span = spanState.data
  const isSpanThere = selectedId === undefined || !spanState.isPending
  const [look, setLook] = useContentLook()
  const [isMappingOpen, setIsMappingOpen] = useState(false)
  const [areFactsOpen, setAreFactsOpen] = useState(false)
  const isWide = useMediaQuery('(min-width: 1380px)')
  const isNarrow = useMediaQuery('(max-width: 639px)')
  const shows = (part: TracePanel) => !isNarrow || panel === part
  const navigate = useNavigate()
  const path = pagePaths.trace(traceKey.applicationId, traceKey.traceId)
  const show = useCallback(
    (change: Partial<TraceSearch>) =>
      void navigate({ to: path, search: { ...search, ...change }, replace: true, resetScroll: false }),
    [navigate, path, search],
  )
  // On a narrow screen the tree and the selected span are not visible together.
  const select = useCallback(({ spanId }: OutlineSpan) => show({ span: spanId, panel: undefined }), [show])
  const spanTop = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // There the question and the answer fill the screen above the span.
    if (isNarrow && chosenId) spanTop.current?.scrollIntoView()
  }, [isNarrow, chosenId])
  useSpanShortcuts({ outline, selectedId, onSelect: select })
  const copyLink = async () => {
    const isCopied = await copyText(window.location.href)
    showToast(
      isCopied
        ? { tone: 'good', message: 'The link is copied. Members of this application can open it.' }
        : { tone: 'danger', message: 'The browser did not allow copying. Copy the address of the page instead.' },
    )
  }
  useShortcut('copyLink', () => void copyLink())
  const lookSwitch = (
    <Segmented
      label="Content"
      value={look}
      options={contentLooks.map((value) => ({ value, label: lookLabels[value] }))}
      onChange={setLook}
    />
  )
  // They include facts of the span.
  const facts = isSpanThere && (
    <TraceFacts
      traceKey={traceKey}
      trace={trace}
      outline={outline}
      span={span}
      onShowMapping={() => setIsMappingOpen(true)}
    />
  )
  return (
    <div className="flex flex-col max-sm:pb-32 lg:h-dvh">
      <title>{`${trace.name ?? 'Trace'} · Touchstone`}</title>
      <TopRow
        parents={[
          useApplicationCrumb(),
          {
            label: 'Traces',
            to: pagePaths.traces(traceKey.applicationId),
            ...(list && { search: { ...readListParameter(list), trace: traceKey.traceId } }),
          },
        ]}
        current={trace.name ?? 'Trace'}
      >
        {list && <TraceNeighbors traceKey={traceKey} list={list} />}
        {!isWide && !isNarrow && (
          <Button look="quiet" size="small" aria-expanded={areFactsOpen} onClick={() => setAreFactsOpen(!areFactsOpen)}>
            <PanelRight aria-hidden className="size-4" />
            Facts
          </Button>
        )}
        <AddTraceToDataset trace={trace} />
        <Button look="quiet" size="small" onClick={() => void copyLink()}>
          <Link2 aria-hidden className="size-4" />
          <span className="max-sm:sr-only">Copy link</span>
          <ShortcutKeys id="copyLink" />
        </Button>
      </TopRow>
      {isNarrow && <PanelSwitch panel={panel} onChange={(next) => show({ panel: next })} />}
      {!shows('answer') && <h1 className="sr-only">{trace.name ?? 'Trace'}</h1>}
      <div className={`min-h-0 flex-1 lg:grid ${view === 'timeline' ? timelineGrid : treeGrid}`}>
        {shows('tree') && (
          <SpanPanel
            traceKey={traceKey}
            outline={outline}
            total={columns.total}
            selectedId={selectedId}
            look={view === 'timeline' ? 'timeline' : 'tree'}
            onSelect={select}
            switcher={<ViewSwitch view={view} onChange={(next) => show({ view: next })} />}
          />
        )}
        {isNarrow && shows('facts') && (
          <aside aria-label="Facts" className="px-4 py-1">
            {facts}
          </aside>
        )}
        <div className="flex min-h-0 min-w-0 flex-col">
          <div hidden={!shows('answer')} className="relative min-h-0 flex-1 px-6 py-4 max-sm:px-4 lg:overflow-y-auto">
            <TraceSummary trace={trace} outline={outline} traceKey={traceKey} onSelect={select} />
            <div ref={spanTop} className="mt-6 scroll-mt-10">
              {view === 'messages' ? (
                <>
                  <div className="mb-3 flex justify-end">{lookSwitch}</div>
                  <TraceConversation traceKey={traceKey} outline={outline} look={look} />
                </>
              ) : (
                selectedId && <SpanDetail trace={traceKey} spanId={selectedId} look={look} switcher={lookSwitch} />
              )}
            </div>
            {/* Not before the content: they would be pushed down. */}
            {isSpanThere && (
              <TraceComments traceKey={traceKey} outline={outline} selectedId={selectedId} onSelect={select} />
            )}
          </div>
          <TraceRating key={traceKey.traceId} traceKey={traceKey} areCommentsShown={shows('answer')} />
        </div>
        {isWide && (
          <aside aria-label="Facts" className="overflow-y-auto border-l border-line px-4 py-1">
            {facts}
          </aside>
        )}
        {!isWide && !isNarrow && areFactsOpen && (
          <aside
            aria-label="Facts"
            className="border-line px-4 py-1 max-lg:border-t lg:fixed lg:top-12 lg:right-0 lg:bottom-0 lg:z-10 lg:w-72 lg:overflow-y-auto lg:border-l lg:bg-canvas lg:shadow-float"
          >
            {facts}
          </aside>
        )}
      </div>
      {isMappingOpen && <MappingDialog trace={traceKey} onClose={() => setIsMappingOpen(false)} />}
    </div>
  )
}

/** What a narrow screen shows. */
function PanelSwitch({ panel, onChange }: { panel: TracePanel; onChange: (panel: TracePanel) => void }) {
  return (
    <div className="border-b border-line px-3 py-2 [&_label]:flex-1 [&_label]:justify-center [&>div]:flex">
      <Segmented
        label="Part of the page"
        value={panel}
        options={[
          { value: 'answer', label: 'Answer' },
          { value: 'tree', label: 'Tree' },
          { value: 'facts', label: 'Facts' },
        ]}
        onChange={onChange}
      />
    </div>
  )
}

function ViewSwitch({ view, onChange }: { view: TraceView; onChange: (view: TraceView) => void }) {
  return (
    <Segmented
      label="View"
      value={view}
      options={[
        {
          value: 'tree',
          label: 'Tree',
        },
        { value: 'timeline', label: 'Timeline' },
        {
          value: 'messages',
          label: 'Messages',
        },
      ]}
      onChange={onChange}
    />
  )
}

const treeGrid = 'lg:grid-cols-[minmax(320px,410px)_minmax(0,1fr)] wide:grid-cols-[410px_minmax(0,1fr)_272px]'

/** Above the content, over the whole width. */
const timelineGrid =
  'lg:grid-rows-[minmax(160px,45%)_minmax(0,1fr)] wide:grid-cols-[minmax(0,1fr)_272px] [&>section]:col-span-full [&>section]:border-b'

const lookLabels = { rendered: 'Rendered', raw: 'Raw', json: 'JSON' }

interface SpanShortcuts {
  outline: OutlineModel
  selectedId: string | undefined
  onSelect: (span: OutlineSpan) => void
}

/** j and k move through the spans from top to bottom, e through those that failed. */
function useSpanShortcuts({ outline, selectedId, onSelect }: SpanShortcuts): void {
  const select = (span: OutlineSpan | undefined) => {
    if (span) onSelect(span)
  }
  const move = (step: number) => {
    const spans = visibleSpans(outline.roots, new Set())
    select(spans[spans.findIndex(({ spanId }) => spanId === selectedId) + step])
  }
  useShortcut('nextSpan', () => move(1))
  useShortcut('previousSpan', () => move(-1))
  const hasFailed = outline.spans.some(({ isError }) => isError)
  useShortcut('nextFailedSpan', hasFailed ? () => select(nextFailedSpan(outline, selectedId)) : undefined)
}
