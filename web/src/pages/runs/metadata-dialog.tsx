import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { RunKey } from '../../api/run-query.ts'
import { useChangeMetadata } from '../../api/runs-query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { metadataEntries } from './run-columns.tsx'

interface MetadataDialogProps {
  runKey: RunKey
  metadata: Record<string, unknown>
  onClose: () => void
}

interface Row {
  key: number
  field: string
  value: string
}

const suggested = ['model', 'prompt', 'commit']

/** Changes what a run says about itself. Unchanged fields are not sent, and keep their type. */
export function MetadataDialog({ runKey, metadata, onClose }: MetadataDialogProps) {
  const change = useChangeMetadata(runKey)
  const [rows, setRows] = useState<Row[]>(() => {
    const known = metadataEntries(metadata)
    const missing = suggested.filter((field) => !(field in metadata)).map((field): [string, string] => [field, ''])
    return [...known, ...missing].map(([field, value], key) => ({ key, field, value }))
  })
  const edit = (key: number, changes: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changes = changesOf(metadata, rows)
    if (Object.keys(changes).length === 0) onClose()
    else change.mutate(changes, { onSuccess: onClose })
  }
  return (
    <Dialog title="What was run" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-soft">Comparisons and trends show these fields, to explain what changed between runs.</p>
        {rows.map(({ key, field, value }) => (
          <div key={key} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-end gap-2">
            <TextField
              label="Field"
              value={field}
              maxLength={100}
              autoComplete="off"
              onChange={(event) => edit(key, { field: event.target.value })}
            />
            <TextField
              label={field ? `Value of ${field}` : 'Value'}
              value={value}
              maxLength={2_000}
              autoComplete="off"
              onChange={(event) => edit(key, { value: event.target.value })}
            />
            <IconButton
              label={field ? `Remove ${field}` : 'Remove the field'}
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
        ))}
        <div>
          <Button
            look="quiet"
            size="small"
            onClick={() => setRows([...rows, { key: nextKey(rows), field: '', value: '' }])}
          >
            <Plus aria-hidden className="size-4" />
            Add a field
          </Button>
        </div>
        <FormEnd submitLabel="Save" error={change.error} isBusy={change.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function nextKey(rows: Row[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1
}

/** Null removes a field. */
function changesOf(metadata: Record<string, unknown>, rows: Row[]): Record<string, string | null> {
  const filled = rows.filter(({ field, value }) => field.trim() !== '' && value.trim() !== '')
  const wanted = new Map(filled.map(({ field, value }) => [field.trim(), value.trim()]))
  const removed = Object.keys(metadata).filter((field) => !wanted.has(field))
  const changed = [...wanted].filter(([field, value]) => !(field in metadata) || String(metadata[field]) !== value)
  return Object.fromEntries([...removed.map((field): [string, null] => [field, null]), ...changed])
}
