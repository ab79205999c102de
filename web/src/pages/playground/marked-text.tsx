import { partsOfSide } from '../../ui/diff-text/diff-words.ts'
import { useDiff } from '../../ui/diff-text/use-diff.ts'
import { variantLook } from './variant-mark.tsx'

/** The text with the words marked that the other one does not have. */
export function MarkedText({ baseline, text, place }: { baseline: string; text: string; place: number }) {
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
