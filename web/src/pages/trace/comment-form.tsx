import { Button } from '../../ui/button.tsx'
import { controlClass } from '../../ui/field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { useDraft } from './use-draft.ts'

interface CommentFormProps {
  label: string
  draftName: string
  initialText: string
  submitLabel: string
  isBusy: boolean
  error: unknown
  /** Calls `onSaved` when the server has the text; until then the draft is kept. */
  onSubmit: (text: string, onSaved: () => void) => void
  onCancel?: () => void
}

/** Text with a draft that survives a reload. Enter with Control or Command submits it. */
export function CommentForm({ label, draftName, initialText, submitLabel, ...props }: CommentFormProps) {
  const [draft, setDraft] = useDraft(draftName)
  const text = draft ?? initialText
  const isEmpty = text.trim() === ''
  const submit = () => {
    if (!isEmpty && !props.isBusy) props.onSubmit(text.trim(), () => setDraft(undefined))
  }
  const cancel = () => {
    setDraft(undefined)
    props.onCancel?.()
  }
  return (
    <form
      method="post"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        aria-label={label}
        placeholder={label}
        rows={2}
        maxLength={COMMENT_LENGTH_MAX}
        // Only a form that the user has opened can be cancelled.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus={props.onCancel !== undefined}
        value={text}
        onChange={(event) => setDraft(event.target.value === initialText ? undefined : event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
          else if (event.key === 'Escape' && props.onCancel) cancel()
          else if (event.key === 'Escape') event.currentTarget.blur()
          else return
          event.preventDefault()
        }}
        className={`${controlClass} resize-y`}
      />
      <ErrorReport error={props.error} />
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          size="small"
          isBusy={props.isBusy}
          disabledReason={isEmpty ? 'Write something first.' : undefined}
        >
          {submitLabel}
        </Button>
        {props.onCancel && (
          <Button look="quiet" size="small" onClick={cancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  )
}

/** As the server limits it. */
const COMMENT_LENGTH_MAX = 20_000
