import { lazy, Suspense, useState } from 'react'
import { loadPart } from '../../api/server-connection.ts'
import { isObject } from '../prompts/prompt-draft.ts'

/** Loaded with the first comparison: most visits have none. */
const MarkedText = lazy(async () => ({ default: (await loadPart(() => import('./marked-text.tsx'))).MarkedText }))

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

/** An answer. A JSON object is shown by its members, because most of them are texts to read. */
export function AnswerText(props: AnswerTextProps) {
  const { text, form, compared, isWriting } = props
  const members = form === 'json' && !isWriting ? readMembers(text) : undefined
  if (!members) return <PlainText {...props} look={form === 'json' ? 'mono' : 'reading'} />
  const others = compared === undefined ? undefined : readMembers(compared)
  return (
    <dl className="flex flex-col gap-1.5">
      {Object.entries(members).map(([name, value]) => (
        <div key={name}>
          <dt className="font-mono text-meta text-faint">{name}</dt>
          <dd>
            <PlainText
              {...props}
              text={memberText(value)}
              compared={others && memberText(others[name])}
              look={typeof value === 'string' ? 'reading' : 'mono'}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function PlainText({ text, compared, place, isWriting, look }: AnswerTextProps & { look: 'reading' | 'mono' }) {
  const [isWhole, setIsWhole] = useState(false)
  const isCut = text.length > LENGTH_MAX + 200 && !isWhole && !isWriting
  const visible = isCut ? text.slice(0, LENGTH_MAX) : text
  return (
    <div className={`wrap-anywhere whitespace-pre-wrap ${look === 'mono' ? 'font-mono text-code' : 'text-body'}`}>
      {compared === undefined || isWriting ? (
        visible
      ) : (
        <Suspense fallback={visible}>
          <MarkedText baseline={compared} text={visible} place={place} />
        </Suspense>
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

/** Undefined if the text is no JSON object. */
function readMembers(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function memberText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
