import { encode } from 'uqr'

/** Drawn here: no other host may see the text. Black on white in both themes, because many cameras do not read the inverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 shrink-0 rounded-card bg-white"
    >
      <path d={squares.join('')} className="fill-black" />
    </svg>
  )
}
