import { ListFilter } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { ColumnMenu } from '../ui/data-table/column-menu.tsx'
import { neighborId, type Sort } from '../ui/data-table/data-column.ts'
import { DataTable } from '../ui/data-table/data-table.tsx'
import { NewRowsButton } from '../ui/data-table/new-rows-button.tsx'
import { SelectionBar } from '../ui/data-table/selection-bar.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { formatCount } from '../ui/format-number.ts'
import { PeekPanel } from '../ui/peek-panel.tsx'
import { Select } from '../ui/select-field.tsx'
import { KitSection } from './kit-section.tsx'
import { KIT_COLUMNS, type KitTrace, KitTraceCard, kitTraces } from './kit-traces.tsx'

const rowId = (trace: KitTrace) => trace.id

/** As on the page of traces: table, selection, new rows and peek. `?rows=100000` fills it. */
export function TableKit() {
  const rows = useMemo(
    () => kitTraces(Number(new URLSearchParams(window.location.search).get('rows') ?? (narrow() ? 12 : 300))),
    [],
  )
  const [columnIds, setColumnIds] = useState(['text', 'duration', 'tokens', 'cost', 'rating'])
  const [sort, setSort] = useState<Sort>({ columnId: 'time', direction: 'descending' })
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set(['trace-1', 'trace-6']))
  const [activeId, setActiveId] = useState<string | undefined>(narrow() ? undefined : 'trace-1')
  const [density, setDensity] = useState<'compact' | 'normal'>('normal')
  const [newCount, setNewCount] = useState(3)
  const active = rows.find((row) => row.id === activeId)
  const ids = useMemo(() => rows.map(rowId), [rows])
  const goTo = (step: 1 | -1) => {
    const next = neighborId(ids, activeId, step)
    return next === undefined || activeId === undefined ? undefined : () => setActiveId(next)
  }
  return (
    <KitSection title="DataTable with PeekPanel">
      <div className="overflow-clip rounded-card border border-line bg-surface">
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 text-data text-soft">
          <NewRowsButton count={newCount} onShow={() => setNewCount(0)} />
          {newCount > 0 && 'since 14:31:52'}
          <span className="ml-auto flex items-center gap-2">
            <Select
              aria-label="Row height"
              value={density}
              onChange={(event) => setDensity(event.target.value === 'normal' ? 'normal' : 'compact')}
            >
              <option value="compact">32 px</option>
              <option value="normal">40 px</option>
            </Select>
            <ColumnMenu columns={KIT_COLUMNS} columnIds={columnIds} onChange={setColumnIds} />
          </span>
        </div>
        <div className="sm:flex sm:h-[520px]">
          <div className="flex min-w-0 flex-1 flex-col">
            <div className="min-h-0 flex-1">
              <DataTable
                label="Traces"
                columns={KIT_COLUMNS}
                columnIds={columnIds}
                rows={rows}
                rowId={rowId}
                totalCount={rows.length}
                sort={sort}
                onSortChange={setSort}
                selection={selection}
                onSelectionChange={setSelection}
                activeId={activeId}
                onActiveChange={setActiveId}
                density={density}
                card={(trace) => <KitTraceCard trace={trace} />}
                empty={<EmptyState icon={ListFilter} title="Nothing matches" text="No trace matches this query." />}
              />
            </div>
            <SelectionBar count={selection.size} onClear={() => setSelection(new Set())}>
              <Button look="primary" size="small">
                Add to dataset
              </Button>
              <Button look="quiet" size="small">
                Rate
              </Button>
            </SelectionBar>
          </div>
          {active && (
            <div className="w-[min(388px,55%)] shrink-0">
              <PeekPanel
                label="Trace"
                position={`${formatCount(ids.indexOf(active.id) + 1)} of ${formatCount(ids.length)}`}
                onPrevious={goTo(-1)}
                onNext={goTo(1)}
                openLink={
                  <Button look="quiet" size="small">
                    Open
                  </Button>
                }
                onClose={() => setActiveId(undefined)}
                footer={
                  <>
                    <Button>right</Button>
                    <Button>partly</Button>
                    <Button>wrong</Button>
                  </>
                }
              >
                <h3 className="mb-2 font-display text-reading font-semibold">{active.input}</h3>
                <p className="mb-1 text-meta text-faint">Answer</p>
                <p>{active.output}</p>
              </PeekPanel>
            </div>
          )}
        </div>
      </div>
    </KitSection>
  )
}

/** On a phone the panel would cover the kit. */
function narrow(): boolean {
  return window.matchMedia('(max-width: 899px)').matches
}
