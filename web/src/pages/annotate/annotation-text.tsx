import { useMemo } from 'react'
import { TextBlock } from '../trace/text-block.tsx'

/** Longer texts are shown in part. */
const SHOWN_MAX = 6000

/** A text of a trace as people read it: Markdown, or JSON with line breaks. */
export function AnnotationText({ text }: { text: string }) {
  const json = useMemo(() => formatJson(text), [text])
  return <TextBlock text={json ?? text} look={json === undefined ? 'rendered' : 'raw'} shownMax={SHOWN_MAX} />
}

/** Undefined unless the text is an object or an array. */
function formatJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
