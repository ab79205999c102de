import { useSuspenseQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import type { RatingScheme } from '../../api/generated/api.ts'
import { ratingSchemeQuery, useSaveRatingScheme } from '../../api/rating-scheme-query.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { DraftButtons } from './draft-buttons.tsx'
import { RatingBarPreview } from './rating-bar-preview.tsx'
import {
  assignKey,
  draftOf,
  droppedWords,
  moveRow,
  newRow,
  RATINGS_MAX,
  type RatingDraft,
  removeRow,
  schemeOf,
  verdictOf,
} from './rating-draft.ts'
import { type MoveButton, RatingRowFields, ratingTitlesClass } from './rating-row-fields.tsx'
import { ScaleField } from './scale-field.tsx'

interface RatingSchemeFormProps {
  applicationId: string
  /** Why the user may not change the scheme. */
  disabledReason: string | undefined
}

/** For a scheme that is loaded. */
export function RatingSchemeForm({ applicationId, disabledReason }: RatingSchemeFormProps) {
  // Not a property: when the draft is dropped after saving, this is the saved scheme already.
  const { data: saved } = useSuspenseQuery(ratingSchemeQuery(applicationId))
  // Undefined until something is changed, so that the form follows the server until then.
  const [draft, setDraft] = useState<RatingDraft>()
  const [addedId, setAddedId] = useState<string>()
  const [moved, setMoved] = useState<{ id: string; by: MoveButton | undefined }>()
  const [announcement, setAnnouncement] = useState('')
  const addButton = useRef<HTMLButtonElement>(null)
  const save = useSaveRatingScheme(applicationId)
  const shown = draft ?? draftOf(saved)
  const { rows } = shown
  const isReadOnly = disabledReason !== undefined
  const change = (changed: Partial<RatingDraft>) => setDraft({ ...shown, ...changed })
  const add = () => {
    const row = newRow(rows)
    setAddedId(row.id)
    setMoved(undefined)
    change({ rows: [...rows, row] })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReadOnly) return
    const onSuccess = () => {
      setDraft(undefined)
      showToast({ tone: 'good', message: 'Saved the rating scheme.' })
    }
    save.mutate(schemeOf(shown, saved), { onSuccess })
  }
  return (
    <form method="post" onSubmit={submit} className="@container flex flex-col gap-6">
      <RatingBarPreview rows={rows} />
      <section aria-label="Words" className="rounded-card border border-line bg-surface shadow-lift">
        <div aria-hidden className={ratingTitlesClass}>
          <span />
          <span>Word, as stored</span>
          <span>Label</span>
          <span>Score</span>
          <span>Color</span>
          <span>Key</span>
          <span>Counts as</span>
        </div>
        <ol className="divide-y divide-line @3xl:divide-y-0 @3xl:py-2">
          {rows.map((row, index) => (
            <RatingRowFields
              key={row.id}
              row={row}
              index={index}
              count={rows.length}
              verdict={verdictOf(row, rows)}
              isReadOnly={isReadOnly}
              isAdded={row.id === addedId}
              onChange={(changed) =>
                change({ rows: rows.map((one) => (one.id === row.id ? { ...one, ...changed } : one)) })
              }
              onKeyChange={(key) => change({ rows: assignKey(rows, row.id, key) })}
              movedBy={moved?.id === row.id ? moved.by : undefined}
              onMove={(to, by) => {
                setMoved({ id: row.id, by })
                change({ rows: moveRow(rows, row.id, to) })
                setAnnouncement(`${row.word || 'The word'} is now ${to + 1} of ${rows.length}.`)
              }}
              onRemove={() => {
                setMoved(undefined)
                change({ rows: removeRow(rows, row.id) })
                setAnnouncement(`Removed ${row.word || 'the word'}.`)
                // The removed button had the focus.
                addButton.current?.focus()
              }}
            />
          ))}
        </ol>
        {!isReadOnly && (
          <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3">
            <Button
              ref={addButton}
              size="small"
              className="touch:min-h-11"
              disabledReason={rows.length >= RATINGS_MAX ? `A scheme has at most ${RATINGS_MAX} words.` : undefined}
              onClick={add}
            >
              <Plus aria-hidden className="size-4" />
              Add word
            </Button>
            <p className="text-meta text-faint pointer-coarse:hidden">Alt ↑ and Alt ↓ move the word you are in</p>
          </div>
        )}
        <span role="status" className="sr-only">
          {announcement}
        </span>
      </section>
      <ScaleField isOrdered={shown.ordered} isReadOnly={isReadOnly} onChange={(ordered) => change({ ordered })} />
      <DroppedWords saved={saved} draft={shown} />
      {disabledReason && <Notice>{disabledReason}</Notice>}
      <ErrorReport error={save.error} />
      <DraftButtons
        isSaving={save.isPending}
        disabledReason={disabledReason}
        hasChanges={draft !== undefined}
        onDiscard={() => {
          setDraft(undefined)
          save.reset()
        }}
      >
        Save scheme
      </DraftButtons>
    </form>
  )
}

/** Warns before saved words leave the scheme, also when one is only spelled differently. */
function DroppedWords({ saved, draft }: { saved: RatingScheme; draft: RatingDraft }) {
  const words = droppedWords(saved, draft)
  return (
    <div role="status" className="empty:-mt-6">
      {words.length > 0 && (
        <Notice>
          <p className="font-medium">
            No longer in the scheme:{' '}
            {words.map((word, index) => (
              <span key={word}>
                {index > 0 && ', '}
                <bdi className="wrap-anywhere">{word}</bdi>
              </span>
            ))}
          </p>
          Ratings with {words.length === 1 ? 'this word' : 'these words'} are kept, but they count neither as good nor
          as bad and have no score.
        </Notice>
      )}
    </div>
  )
}
