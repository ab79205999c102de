import { useMemo } from 'react'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { TextBlock } from '../trace/text-block.tsx'

/** Longer texts are shown in part. */
const SHOWN_MAX = 6000

/** A text of a trace as people read it: Markdown, or a tree if it is JSON. */
export function AnnotationText({ text, label }: { text: string; label: string }) {
  const json = useMemo(() => parseJson(text), [text])
  if (json !== undefined) return <JsonView label={label} value={json} />
  return <TextBlock text={text} look="rendered" shownMax={SHOWN_MAX} />
}

/** An object or an array; other values are read better as text. */
function parseJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
