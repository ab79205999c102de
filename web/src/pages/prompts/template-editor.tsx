import type { KeyboardEvent } from 'react'
import { TemplateText } from './template-text.tsx'

interface TemplateEditorProps {
  /** The accessible name: "Text of message 1, system". */
  label: string
  text: string
  isReadOnly: boolean
  onChange: (text: string) => void
}

const boxClass = 'col-start-1 row-start-1 w-full px-4 pt-1 pb-4 text-reading wrap-anywhere whitespace-pre-wrap'

/**
 * The text of a message. The letters that are seen are those of the copy below, in which variables are marked; the field above has
 * only the caret and the selection. Both are in one cell of a grid, so that the field is as high as its text.
 */
export function TemplateEditor({ label, text, isReadOnly, onChange }: TemplateEditorProps) {
  if (isReadOnly) {
    return (
      <p className={boxClass}>
        <TemplateText text={text} />
      </p>
    )
  }
  const leave = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.currentTarget.blur()
  }
  return (
    <div className="grid">
      <div aria-hidden className={`${boxClass} pointer-events-none min-h-14`}>
        <TemplateText text={text} />
        {/* A line break at the end has no height without something after it. */}
        {'\u200b'}
      </div>
      <textarea
        aria-label={label}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={leave}
        placeholder="Write here. Type {{ for a variable."
        className={`${boxClass} resize-none overflow-hidden rounded-b-card bg-transparent text-transparent caret-ink placeholder:text-faint focus-visible:-outline-offset-2`}
      />
    </div>
  )
}
