import type { CSSProperties } from 'react'
import type { Connection, PromptLabel } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'
import { AnswerCell } from './answer-cell.tsx'
import { isAnswered, meanText, progressOf, schemaText } from './answer-sums.ts'
import { type ColumnActions, ColumnHeader } from './column-header.tsx'
import { cellId } from './plan-tries.ts'
import type { TypedValues } from './playground-record.ts'
import type { Names } from './playground-values.ts'
import { RowHeader } from './row-header.tsx'
import type { Cell, Tries } from './tries.ts'
import type { Variant } from './use-columns.ts'
import type { PlaygroundRow } from './use-rows.ts'
import { variantLook } from './variant-mark.tsx'

interface PlaygroundTableProps {
  applicationId: string
  variants: readonly Variant[]
  rows: readonly PlaygroundRow[]
  cells: ReadonlyMap<string, Cell>
  tries: Tries
  names: Names
  shared: TypedValues
  labels: readonly PromptLabel[]
  connections: readonly Connection[]
  choices: { value: string; label: string }[]
  nextNumber: number
  notEditable: string | undefined
  whyNotCopy: string | undefined
  isDiff: boolean
  /** The first field without a value gets the focus. */
  isFresh: boolean
  /** The cell that `r` retries. */
  nextRetry: string | undefined
  fingerprintOf: (variant: Variant, row: PlaygroundRow) => string | undefined
  whyNotRun: (variants: readonly Variant[], rows: readonly PlaygroundRow[]) => string | undefined
  actionsOf: (variant: Variant) => ColumnActions
  onRun: (variant: Variant, row: PlaygroundRow) => void
  onActive: (columnId: string, cell: string | undefined) => void
  onValues: (row: PlaygroundRow, values: TypedValues) => void
  onRemoveRow: ((row: PlaygroundRow) => void) | undefined
}

/** Columns of what is tried, rows of what it is tried with. Below 640 pixels the answers of a row are below each other. */
export function PlaygroundTable(props: PlaygroundTableProps) {
  const { variants, rows, cells, isDiff, whyNotRun, onActive, onRemoveRow } = props
  const answerOf = (variant: Variant | undefined, row: PlaygroundRow) => {
    const cell = variant && cells.get(cellId(row, variant))
    return isAnswered(cell) ? cell?.end?.text : undefined
  }
  // A style, because the number of columns is one of many; the policy allows those that scripts set.
  const columns = { '--columns': variants.length } as CSSProperties
  return (
    <section
      aria-label="Answers"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative overflow-x-auto sm:rounded-card sm:border sm:border-line sm:bg-surface sm:shadow-lift"
    >
      <table
        style={columns}
        className="block text-left sm:grid sm:grid-cols-[180px_repeat(var(--columns),minmax(260px,1fr))] rail:grid-cols-[236px_repeat(var(--columns),minmax(260px,1fr))]"
      >
        <caption className="sr-only">Answers of each column to each row</caption>
        <thead className="contents">
          <tr className={rowClass}>
            <th
              scope="col"
              className="border-b border-line px-3.5 py-3 text-left text-meta font-normal text-faint sm:sticky sm:left-0 sm:z-10 sm:flex sm:items-end sm:bg-surface max-sm:sr-only"
            >
              {rows.some(({ item }) => item) ? 'Question and expected' : 'Variables'}
            </th>
            {variants.map((variant, place) => (
              <ColumnHeader
                key={variant.column.id}
                variant={variant}
                place={place}
                choices={props.choices}
                labels={props.labels}
                connections={props.connections}
                nextNumber={props.nextNumber}
                notEditable={props.notEditable}
                whyNotRun={whyNotRun([variant], rows)}
                whyNotCopy={props.whyNotCopy}
                isOnly={variants.length === 1}
                actions={props.actionsOf(variant)}
                onActive={() => onActive(variant.column.id, undefined)}
              />
            ))}
          </tr>
        </thead>
        <tbody className="contents">
          {rows.map((row, index) => (
            <tr key={row.id} className={rowClass}>
              <RowHeader
                row={row}
                names={props.names}
                shared={props.shared}
                isFocused={props.isFresh && index === 0}
                onChange={(values) => props.onValues(row, values)}
                onRemove={onRemoveRow && (() => onRemoveRow(row))}
              />
              {variants.map((variant, place) => {
                const id = cellId(row, variant)
                return (
                  <AnswerCell
                    key={id}
                    applicationId={props.applicationId}
                    variant={variant}
                    row={row}
                    place={place}
                    id={id}
                    cell={cells.get(id)}
                    fingerprint={props.fingerprintOf(variant, row)}
                    compared={isDiff && place > 0 ? answerOf(variants[0], row) : undefined}
                    whyNotRun={whyNotRun([variant], [row])}
                    isNext={props.nextRetry === id}
                    tries={props.tries}
                    onRun={() => props.onRun(variant, row)}
                    onActive={() => onActive(variant.column.id, id)}
                    onOpenSchema={() => props.actionsOf(variant).open('edit')}
                  />
                )
              })}
            </tr>
          ))}
        </tbody>
        <tfoot className="contents">
          <tr className={rowClass}>
            <th
              scope="row"
              className="px-3.5 py-2.5 text-left text-data font-semibold sm:sticky sm:left-0 sm:z-10 sm:bg-sunken max-sm:block max-sm:px-0 max-sm:pt-4"
            >
              {rows.length === 1 ? 'The only row' : `All ${rows.length} rows`}
              {/* The table has at most ten rows, and no method has enough with so few. */}
              {variants.length > 1 && (
                <span className="block text-meta font-normal text-faint">too few to say which is better</span>
              )}
            </th>
            {variants.map((variant, place) => (
              <SumCell
                key={variant.column.id}
                name={variant.name}
                place={place}
                cells={rows.map((row) => cells.get(cellId(row, variant)))}
              />
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

const rowClass = 'max-sm:block sm:col-span-full sm:grid sm:grid-cols-subgrid'

/** Counts of one column. No rate, no color and no winner: a few answers decide nothing. */
function SumCell({ name, place, cells }: { name: string; place: number; cells: (Cell | undefined)[] }) {
  const { answered, others } = progressOf(cells)
  const counted = schemaText(cells) ?? (answered === 0 ? undefined : countOf(answered, 'answer'))
  const text = [counted, others].filter(Boolean).join(', ') || 'no answer yet'
  return (
    <td
      className={`px-3.5 py-2.5 text-data tabular-nums sm:border-l sm:border-line sm:bg-sunken max-sm:mt-1.5 max-sm:block max-sm:border-l-3 max-sm:py-1 ${variantLook(place).left}`}
    >
      <span className="font-semibold sm:sr-only">{name}: </span>
      {text}
      <span className="block text-meta text-faint">{meanText(cells)}</span>
    </td>
  )
}
