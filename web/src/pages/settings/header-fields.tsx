import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { emptyRow, type HeaderRow } from './header-rows.ts'

interface HeaderFieldsProps {
  rows: readonly HeaderRow[]
  /** Stored values are lost, because the base URL has changed. */
  isLost: boolean
  onChange: (rows: HeaderRow[]) => void
}

export function HeaderFields({ rows, isLost, onChange }: HeaderFieldsProps) {
  const change = (key: number, fields: Partial<HeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...fields } : row)))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1.5 text-data font-medium">Headers</legend>
      <p className="-mt-2 text-data text-soft">
        Sent with each call, such as Authorization. Stored encrypted, and their values are never shown again.
      </p>
      {rows.map(({ key, name, value, isStored }, index) => (
        <div key={key} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label={`Name of header ${index + 1}`}
              required
              readOnly={isStored}
              autoComplete="off"
              spellCheck={false}
              placeholder="Authorization"
              value={name}
              onChange={(event) => change(key, { name: event.target.value })}
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label={`Value of header ${index + 1}`}
              type="password"
              required={!isStored || isLost}
              autoComplete="off"
              spellCheck={false}
              placeholder={isStored && !isLost ? 'set; empty keeps it' : 'Bearer …'}
              value={value}
              onChange={(event) => change(key, { value: event.target.value })}
            />
          </div>
          <IconButton
            label={`Remove ${name || `header ${index + 1}`}`}
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            <Trash2 aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="small" onClick={() => onChange([...rows, emptyRow(rows)])}>
          <Plus aria-hidden className="size-4" />
          Add a header
        </Button>
      </div>
    </fieldset>
  )
}
