import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { TraceRow } from '../../api/generated/api.ts'
import { pagePaths, withQuery } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectionBar } from '../../ui/data-table/selection-bar.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

const AddToDatasetDialog = lazyDialog(
  async () => (await import('../datasets/add-to-dataset-dialog.tsx')).AddToDatasetDialog,
)
const DeleteTracesDialog = lazyDialog(async () => (await import('./delete-traces-dialog.tsx')).DeleteTracesDialog)

interface TraceActionsProps {
  applicationId: string
  rows: TraceRow[]
  selection: ReadonlySet<string>
  onSelect: (selection: ReadonlySet<string>) => void
}

const NOTHING: ReadonlySet<string> = new Set()

/** What can be done with the selected traces. */
export function TraceActions({ applicationId, rows, selection, onSelect }: TraceActionsProps) {
  const me = useMe()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'add' | 'delete'>()
  const notAddable = missingRole(me, 'editor', 'Adding to a dataset')
  const canAdd = selection.size > 0 && notAddable === undefined
  useShortcut('addToDataset', canAdd ? () => setDialog('add') : undefined)
  const pair = selection.size === 2 ? olderFirst(selection, rows) : undefined
  const compare = pair && (() => void navigate({ href: withQuery(pagePaths.compareTraces(applicationId), pair) }))
  useShortcut('compareTraces', compare)
  const components = new Set(rows.filter(({ id }) => selection.has(id)).map(({ aiComponentId }) => aiComponentId))
  return (
    <>
      <SelectionBar count={selection.size} onClear={() => onSelect(NOTHING)}>
        <Button look="primary" size="small" disabledReason={notAddable} onClick={() => setDialog('add')}>
          Add to dataset
          <ShortcutKeys id="addToDataset" />
        </Button>
        <Button
          size="small"
          disabledReason={compare ? undefined : 'Select exactly two traces to compare them.'}
          onClick={compare}
        >
          Compare
          <ShortcutKeys id="compareTraces" />
        </Button>
        <Button
          look="quiet"
          size="small"
          disabledReason={missingRole(me, 'editor', 'Deleting traces')}
          onClick={() => setDialog('delete')}
        >
          Delete
        </Button>
      </SelectionBar>
      {dialog === 'add' && (
        <AddToDatasetDialog
          applicationId={applicationId}
          source={{ type: 'traces', ids: [...selection] }}
          componentId={components.size === 1 ? ([...components][0] ?? undefined) : undefined}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'delete' && (
        <DeleteTracesDialog
          applicationId={applicationId}
          ids={[...selection]}
          onDeleted={() => {
            onSelect(NOTHING)
            setDialog(undefined)
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

/** The older trace is at the left, as the baseline of a comparison is. */
function olderFirst(selection: ReadonlySet<string>, rows: TraceRow[]): { left: string; right: string } {
  const startOf = (id: string) => rows.find((row) => row.id === id)?.startTime ?? ''
  const [left = '', right = ''] = [...selection].toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
  return { left, right }
}
