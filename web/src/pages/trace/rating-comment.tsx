import { Button } from '../../ui/button.tsx'
import { controlClass } from '../../ui/field.tsx'
import { useDraft } from './use-draft.ts'

interface RatingCommentProps {
  draftName: string
  /** Empty if there is none. */
  saved: string
  onSave: (text: string) => void
  onClose: () => void
}

/** The comment that belongs to the user's rating. */
export function RatingComment({ draftName, saved, onSave, onClose }: RatingCommentProps) {
  const [draft, setDraft] = useDraft(draftName)
  const text = draft ?? saved
  const submit = () => {
    setDraft(undefined)
    onSave(text.trim())
  }
  return (
    <form
      method="post"
      className="mb-2 flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        aria-label="Comment with your rating"
        placeholder="What makes it so?"
        rows={2}
        maxLength={COMMENT_LENGTH_MAX}
        // The user asked for the field by a button.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus
        value={text}
        onChange={(event) => setDraft(event.target.value === saved ? undefined : event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
          else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
          else return
          event.preventDefault()
        }}
        className={`${controlClass} min-w-0 flex-1 resize-y text-data`}
      />
      <div className="flex flex-col gap-1">
        <Button look="quiet" size="small" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" size="small">
          Save
        </Button>
      </div>
    </form>
  )
}

/** As the server limits it. */
const COMMENT_LENGTH_MAX = 20_000
