import { lazy, Suspense, useState } from 'react'
import { loadPart } from '../../api/server-connection.ts'
import { countOf } from '../../ui/format-number.ts'

const MarkdownText = lazy(async () => ({ default: (await loadPart(() => import('./markdown-text.tsx'))).MarkdownText }))

interface TextBlockProps {
  text: string
  /** So many characters are shown at first. */
  shownMax?: number
  /** `raw` shows every character as it was sent. */
  look: 'rendered' | 'raw'
}

/** Text of a message. Long text is shown in part, until the user asks for the rest. */
export function TextBlock({ text, look, shownMax = 1500 }: TextBlockProps) {
  const [isWhole, setIsWhole] = useState(false)
  const isLong = text.length > shownMax * 1.2
  const shown = isLong && !isWhole ? `${text.slice(0, shownMax)}…` : text
  const plain = (
    <p className={`break-words whitespace-pre-wrap ${look === 'raw' ? 'font-mono text-code' : ''}`}>{shown}</p>
  )
  return (
    <div className="max-w-[72ch]">
      {look === 'raw' ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <MarkdownText text={shown} />
        </Suspense>
      )}
      {isLong && (
        <button
          type="button"
          onClick={() => setIsWhole(!isWhole)}
          className="touch-link mt-1 rounded-sm text-data underline underline-offset-4"
        >
          {isWhole ? 'Show less' : `All ${countOf(text.length, 'character')}`}
        </button>
      )}
    </div>
  )
}
