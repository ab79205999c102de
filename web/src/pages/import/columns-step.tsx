import { ArrowRight } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { Select } from '../../ui/select-field.tsx'
import { type ColumnUse, type ColumnUses, canBeJson, IGNORE, metadataField, problemOfUses } from './column-uses.ts'
import type { Sample } from './read-sample.ts'
import { SampleTable } from './sample-table.tsx'

interface ColumnsStepProps {
  sample: Sample
  size: number
  uses: ColumnUses
  onChange: (uses: ColumnUses) => void
  onOtherFile: () => void
  onContinue: () => void
}

/** Which column is what. Names decide only if they are exact; everything else is the user's choice. */
export function ColumnsStep({ sample, size, uses, onChange, onOtherFile, onContinue }: ColumnsStepProps) {
  const problem = problemOfUses(uses)
  const set = (column: string, use: ColumnUse) => onChange({ ...uses, [column]: use })
  return (
    <div className="flex flex-col gap-5 p-5 max-sm:p-4">
      <p className="text-data text-soft">
        {[formatBytes(size), ...sample.facts].join(' · ')}. Shown are the first {sample.rows.length} rows; the server
        reads all of them.
      </p>
      {sample.hasBrokenText && (
        <Notice>
          Some characters are broken, because the file is not saved as UTF-8 or UTF-16. The rows with them are listed by
          the check. To keep them, save the file as UTF-8 and choose it again.
        </Notice>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {sample.columns.map((column, place) => (
          <ColumnRow
            key={column}
            column={column}
            example={sample.rows.find((row) => row[place] !== null)?.[place] ?? null}
            use={uses[column] ?? { field: IGNORE, as: 'text' }}
            onChange={(use) => set(column, use)}
          />
        ))}
      </ul>
      <SampleTable sample={sample} />
      {problem && (
        <div role="alert">
          <Notice tone="danger">{problem}</Notice>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onOtherFile}>Choose another file</Button>
        <Button look="primary" disabledReason={problem} onClick={onContinue}>
          Check the rows
        </Button>
      </div>
    </div>
  )
}

interface ColumnRowProps {
  column: string
  example: string | null
  use: ColumnUse
  onChange: (use: ColumnUse) => void
}

function ColumnRow({ column, example, use, onChange }: ColumnRowProps) {
  const fields = [
    ['input', 'Input'],
    ['expected', 'Expected output'],
    ['output', 'Output'],
    ['split', 'Split'],
    ['traceId', 'Trace id'],
    [metadataField(column), `Metadata “${metadataField(column).slice('metadata.'.length)}”`],
    ['metadata', 'All metadata, a JSON object'],
    ['id', 'Id: items get new ids'],
    [IGNORE, 'Ignore this column'],
  ] as const
  const choose = (field: string) => {
    const as = field === 'metadata' ? 'json' : canBeJson(field) ? use.as : 'text'
    onChange({ field, as })
  }
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,15rem)_8rem] items-center gap-3 py-2.5 max-sm:grid-cols-1 max-sm:gap-2">
      <div className="min-w-0">
        <p className="truncate font-mono text-code">{column}</p>
        <p className="truncate text-meta text-faint">{example ?? 'nothing in the first rows'}</p>
      </div>
      <ArrowRight aria-hidden className="size-4 text-faint max-sm:hidden" />
      <Select aria-label={`What “${column}” is`} value={use.field} onChange={(event) => choose(event.target.value)}>
        {fields.map(([field, name]) => (
          <option key={field} value={field}>
            {name}
          </option>
        ))}
      </Select>
      {canBeJson(use.field) ? (
        <Select
          aria-label={`How to read “${column}”`}
          value={use.as}
          onChange={(event) => onChange({ ...use, as: event.target.value === 'json' ? 'json' : 'text' })}
        >
          <option value="text">as it is</option>
          <option value="json">as JSON</option>
        </Select>
      ) : (
        <span className="text-data text-faint max-sm:hidden">{use.field === 'metadata' ? 'as JSON' : ''}</span>
      )}
    </li>
  )
}
