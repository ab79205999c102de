import { Braces, EllipsisVertical, PencilLine, Play, Plus, Trash2, Wrench, X } from 'lucide-react'
import type { Connection, PromptLabel } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Menu } from '../../ui/menu.tsx'
import { disableableItemClass, MenuNote } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { LabelChip } from '../prompts/label-chip.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { ModelSelect } from './model-select.tsx'
import type { Target } from './playground-record.ts'
import { bothText, parametersText } from './settings-text.ts'
import type { Variant } from './use-columns.ts'
import { VariantMark, variantLook } from './variant-mark.tsx'

export interface ColumnActions {
  choose: (value: string) => void
  target: (target: Target | undefined) => void
  open: (view: 'edit' | 'changes') => void
  run: () => void
  copy: () => void
  discard: () => void
  remove: () => void
  save: () => void
}

interface ColumnHeaderProps {
  variant: Variant
  place: number
  /** For the choice of a version: the value and the name of each. */
  choices: { value: string; label: string }[]
  labels: readonly PromptLabel[]
  connections: readonly Connection[]
  nextNumber: number
  /** Undefined for editors. */
  notEditable: string | undefined
  whyNotRun: string | undefined
  whyNotCopy: string | undefined
  isOnly: boolean
  actions: ColumnActions
  onActive: () => void
}

/** What a column runs: a version or a draft, the model, and always its tools and response format. */
export function ColumnHeader(props: ColumnHeaderProps) {
  const { variant, place, choices, labels, connections, nextNumber, notEditable, actions, onActive } = props
  const { column, content, name, edits, isDeleted, target } = variant
  const isChanged = edits.length > 0 || (content !== undefined && variant.baseContent === undefined)
  const connection = connections.find((one) => one.name === target.provider)
  return (
    <th
      scope="col"
      onFocus={onActive}
      onPointerDown={onActive}
      className={`flex min-w-0 flex-col gap-1.5 border-t-3 border-b border-b-line px-3.5 pt-2.5 pb-3 text-left font-normal sm:border-l sm:border-l-line max-sm:mb-2 max-sm:rounded-card max-sm:border-x max-sm:border-line max-sm:bg-surface max-sm:shadow-lift ${variantLook(place).top}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <VariantMark place={place} />
        <select
          aria-label={`Version of column ${place + 1}`}
          value={column.content === undefined ? String(column.base) : 'own'}
          onChange={(event) => actions.choose(event.target.value)}
          className="-ml-1 min-h-7 max-w-40 cursor-pointer touch:min-w-11 rounded-control bg-transparent px-0.5 text-body font-semibold hover:bg-hover touch:min-h-11"
        >
          {column.content !== undefined && <option value="own">{name}</option>}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {column.content === undefined &&
          labels.flatMap(({ name: label, splits }) =>
            splits
              .filter(({ version }) => version === column.base)
              .map(({ weight }) => <LabelChip key={label} label={label} weight={weight} />),
          )}
        {edits.length > 0 && (
          <button
            type="button"
            onClick={() => actions.open('changes')}
            aria-label={`${countOf(edits.length, 'edit')} of ${name}: show what differs from v${column.base}`}
            className="touch-link rounded-full hover:brightness-95"
          >
            <Badge tone="gold">{countOf(edits.length, 'edit')}</Badge>
          </button>
        )}
        <span className="ml-auto">
          <ColumnMenu {...props} isChanged={isChanged} />
        </span>
      </div>
      {isDeleted && (
        <p className="text-data text-soft">
          v{column.base} was deleted.{' '}
          {content ? 'Its changes are kept here, and can be saved.' : 'Its answers stay, and it cannot be run.'}
        </p>
      )}
      {variant.query && <QueryError query={variant.query} />}
      {content && (
        <>
          <ModelSelect
            label={`Model of ${name}`}
            content={variant.ownContent ?? content}
            target={column.target}
            called={target}
            connections={connections}
            onChange={actions.target}
          />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-soft">
            <button
              type="button"
              onClick={() => actions.open('edit')}
              aria-label={`Tools and response format of ${name}`}
              className="touch-link flex items-center gap-3 rounded-sm underline decoration-edge/50 underline-offset-4 hover:text-ink"
            >
              <span className="inline-flex items-center gap-1">
                <Wrench aria-hidden className="size-3" />
                {content.tools.length === 0 ? 'no tools' : countOf(content.tools.length, 'tool')}
              </span>
              <span className="inline-flex items-center gap-1">
                <Braces aria-hidden className="size-3" />
                {content.responseFormat === null ? 'text' : 'schema'}
              </span>
            </button>
            <span>{parametersText(content.parameters)}</span>
          </div>
          <BothNote variant={variant} connection={connection} />
        </>
      )}
      {isChanged && content && (
        <div className="mt-auto flex flex-wrap justify-end gap-2 pt-1">
          <Button size="small" disabledReason={notEditable} onClick={actions.save}>
            Save v{nextNumber}…
          </Button>
        </div>
      )}
    </th>
  )
}

/** Tools and a response format at once: other tools fail here without a word, so the connection says what it does. */
function BothNote({
  variant: { content, target },
  connection,
}: {
  variant: Variant
  connection: Connection | undefined
}) {
  if (!content || content.tools.length === 0 || content.responseFormat === null) return null
  return (
    <p className="text-meta text-faint">
      <bdi>{target.provider ?? 'The connection'}</bdi> {bothText(content, connection?.kind)}
    </p>
  )
}

function ColumnMenu({
  variant,
  notEditable,
  whyNotRun,
  whyNotCopy,
  isOnly,
  isChanged,
  actions,
}: ColumnHeaderProps & { isChanged: boolean }) {
  const { column, content, name } = variant
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small-icon" aria-label={`More about ${name}`}>
          <EllipsisVertical aria-hidden className="size-4" />
        </Button>
      }
    >
      <MenuItem className={disableableItemClass} disabled={whyNotRun !== undefined} onSelect={actions.run}>
        <Play aria-hidden className="size-4 text-faint" />
        Run this column
      </MenuItem>
      <MenuItem className={disableableItemClass} disabled={!content} onSelect={() => actions.open('edit')}>
        <PencilLine aria-hidden className="size-4 text-faint" />
        {notEditable === undefined ? 'Edit…' : 'Show the text'}
      </MenuItem>
      <MenuItem
        className={disableableItemClass}
        disabled={!content || whyNotCopy !== undefined}
        onSelect={actions.copy}
      >
        <Plus aria-hidden className="size-4 text-faint" />
        Copy to a new column
      </MenuItem>
      {isChanged && column.base !== null && (
        <MenuItem className={disableableItemClass} onSelect={actions.discard}>
          <Trash2 aria-hidden className="size-4 text-faint" />
          Discard the changes
        </MenuItem>
      )}
      <MenuItem className={disableableItemClass} disabled={isOnly} onSelect={actions.remove}>
        <X aria-hidden className="size-4 text-faint" />
        Remove the column
      </MenuItem>
      <MenuNote text={whyNotRun} />
    </Menu>
  )
}
