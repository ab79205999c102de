import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { findJsonError } from './find-json-error.ts'
import type { ItemField } from './item-editing.ts'

interface ItemTextSectionProps {
  title: string
  field: ItemField
  text: string
  /** Undefined for those who may not edit. */
  onSave: ((text: string) => void) | undefined
}

/** A whole text of an item, which can be edited where it is shown. */
export function ItemTextSection({ title, field, text, onSave }: ItemTextSectionProps) {
  const [draft, setDraft] = useState<string>()
  const problem = draft !== undefined && field === 'metadata' ? findJsonError(draft) : undefined
  const isJson = field === 'metadata'
  return (
    <section className="mt-4 first:mt-0">
      <h3 className="flex items-center justify-between gap-2 text-meta font-medium text-soft">
        {title}
        {onSave && draft === undefined && (
          <Button look="quiet" size="small" aria-label={`Edit ${title.toLowerCase()}`} onClick={() => setDraft(text)}>
            Edit
          </Button>
        )}
      </h3>
      {draft === undefined || !onSave ? (
        <p className={`break-words whitespace-pre-wrap ${isJson ? 'font-mono text-code' : 'text-body'}`}>
          {text || <span className="text-faint">none</span>}
        </p>
      ) : (
        <form
          method="post"
          onSubmit={(event) => {
            event.preventDefault()
            if (problem !== undefined) return
            if (draft !== text) onSave(draft)
            setDraft(undefined)
          }}
        >
          <textarea
            ref={focusOnMount}
            aria-label={title}
            aria-invalid={problem !== undefined || undefined}
            rows={Math.min(16, Math.max(4, draft.split('\n').length + 1))}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              // Not the panel.
              event.preventDefault()
              setDraft(undefined)
            }}
            className={`mt-1 block w-full resize-y rounded-control border border-edge bg-surface px-2 py-1.5 ${isJson ? 'font-mono text-code' : 'text-data'}`}
          />
          {problem && (
            <p role="alert" className="mt-1 text-meta text-danger">
              {problem}
            </p>
          )}
          <div className="mt-2 flex gap-2">
            <Button type="submit" size="small">
              Save
            </Button>
            <Button look="quiet" size="small" onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
