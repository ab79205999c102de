interface HighlightedProps {
  text: string
  query: string
  isCurrent: boolean
}

/** Text with the matches of a search marked. Only text: nothing in it becomes a link or an element. */
export function Highlighted({ text, query, isCurrent }: HighlightedProps) {
  if (query === '') return text
  const parts: { text: string; isMatch: boolean; at: number }[] = []
  const lower = text.toLowerCase()
  const wanted = query.toLowerCase()
  let at = 0
  // Letters whose small form is longer would move the matches.
  for (let found = lower.length === text.length ? lower.indexOf(wanted) : -1; found !== -1; ) {
    if (found > at) parts.push({ text: text.slice(at, found), isMatch: false, at })
    parts.push({ text: text.slice(found, found + wanted.length), isMatch: true, at: found })
    at = found + wanted.length
    found = lower.indexOf(wanted, at)
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMatch: false, at })
  return parts.map((part) =>
    part.isMatch ? (
      <mark
        key={part.at}
        className={`rounded-[2px] text-inherit ${isCurrent ? 'bg-gold/45 outline-1 outline-gold-ink' : 'bg-gold/25'}`}
      >
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  )
}
