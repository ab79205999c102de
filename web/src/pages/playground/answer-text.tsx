import { useState } from 'react'
import { partsOfSide } from '../../ui/diff-text/diff-words.ts'
import { useDiff } from '../../ui/diff-text/use-diff.ts'
import { variantLook } from './variant-mark.tsx'

interface AnswerTextProps {
  text: string
  form: 'text' | 'json'
  /** The words that it does not have are marked; undefined without a comparison. */
  compared: string | undefined
  place: number
  isWriting: boolean
}

/** Longer texts are shown by their beginning: a table of them could not be read. */
const LENGTH_MAX = 1_500

export function AnswerText({ text, form, compared, place, isWriting }: AnswerTextProps) {
  const [isWhole, setIsWhole] = useState(false)
  const shown = form === 'json' && !isWriting ? indented(text) : text
  const isCut = shown.length > LENGTH_MAX + 200 && !isWhole && !isWriting
  const visible = isCut ? shown.slice(0, LENGTH_MAX) : shown
  const isMono = form === 'json' && shown.trimStart().startsWith('{')
  return (
    <div className={`wrap-anywhere whitespace-pre-wrap ${isMono ? 'font-mono text-code' : 'text-body'}`}>
      {compared === undefined || isWriting ? (
        visible
      ) : (
        <Marked baseline={form === 'json' ? indented(compared) : compared} text={visible} place={place} />
      )}
      {isWriting && (
        <span
          aria-hidden
          className="ml-0.5 inline-block h-[1.1em] w-1.5 animate-blink rounded-[1px] bg-gold align-text-bottom motion-reduce:animate-none"
        />
      )}
      {isCut && (
        <button
          type="button"
          onClick={() => setIsWhole(true)}
          className="touch-link ml-1 font-sans text-data text-soft underline underline-offset-4 hover:text-ink"
        >
          … Show all
        </button>
      )}
    </div>
  )
}

/** The text with the words marked that the other one does not have. */
function Marked({ baseline, text, place }: { baseline: string; text: string; place: number }) {
  const diff = useDiff(baseline, text)
  if (typeof diff === 'string') return text
  return partsOfSide(diff, 'candidate').map((part, index) => {
    if (!part.isMarked) return part.text
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their position
      <mark key={index} className={`rounded-[3px] box-decoration-clone px-0.5 text-inherit ${variantLook(place).word}`}>
        <span className="sr-only">[only here: </span>
        {part.text}
        <span className="sr-only">]</span>
      </mark>
    )
  })
}

/** JSON in lines; a text that is none stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
