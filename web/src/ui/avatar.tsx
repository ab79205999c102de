interface AvatarProps {
  name: string
  size?: 'small' | 'normal'
}

/** The initials of a person. Hidden from screen readers, because the name is printed next to it. */
export function Avatar({ name, size = 'small' }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={`inline-grid shrink-0 place-items-center rounded-full border border-line bg-sunken font-semibold tracking-wide text-soft uppercase select-none ${sizes[size]}`}
    >
      {initials(name)}
    </span>
  )
}

const sizes = { small: 'size-[22px] text-[9.5px]', normal: 'size-8 text-[12px]' }

/** The first letters of the first and the last word; whole characters, so that emoji are not cut in half. */
function initials(name: string): string {
  // A note in parentheses is no part of the name.
  const words = name
    .replace(/\s*\(.*\)$/, '')
    .trim()
    .split(/\s+/)
  const chosen = words.length > 1 ? [words.at(0), words.at(-1)] : [words.at(0)]
  return chosen.map((word) => [...(word ?? '')][0] ?? '?').join('')
}
