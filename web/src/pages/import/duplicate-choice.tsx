import type { ImportReport } from '../../api/generated/api.ts'
import type { ImportChoices } from '../../api/imports-query.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Segmented } from '../../ui/segmented.tsx'

interface DuplicateChoiceProps {
  duplicates: ImportReport['duplicates']
  value: ImportChoices['duplicates']
  onChange: (value: ImportChoices['duplicates']) => void
}

const SHOWN_MAX = 5

/** Rows that ask what an item or an earlier row asks. */
export function DuplicateChoice({ duplicates, value, onChange }: DuplicateChoiceProps) {
  const { count, rows } = duplicates
  return (
    <section aria-label="Duplicates" className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          {countOf(count, 'row')} {count === 1 ? 'has' : 'have'} an input that is there already.
        </p>
        <Segmented
          label="Duplicates"
          value={value}
          options={[
            { value: 'skip', label: 'Skip them' },
            { value: 'keep', label: 'Import them too' },
          ]}
          onChange={onChange}
        />
      </div>
      <ul className="flex flex-col gap-1 text-data">
        {rows.slice(0, SHOWN_MAX).map(({ row, by, firstRow, found }) => (
          <li key={row} className="flex min-w-0 gap-3">
            <span className="w-56 shrink-0 text-soft max-sm:w-40">
              Row {formatCount(row)}, {reasonOf(by, firstRow)}
            </span>
            <span className="truncate">{found ?? 'a trace'}</span>
          </li>
        ))}
      </ul>
      {count > SHOWN_MAX && <p className="text-data text-soft">and {formatCount(count - SHOWN_MAX)} more</p>}
    </section>
  )
}

function reasonOf(by: 'input' | 'trace', firstRow: number | null): string {
  if (firstRow !== null) return `as row ${formatCount(firstRow)}`
  return by === 'trace' ? 'its trace is an item' : 'as an item'
}
