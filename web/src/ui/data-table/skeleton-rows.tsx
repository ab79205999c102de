interface SkeletonRowsProps {
  columnCount: number
  rowHeight: number
}

/** Gray bars while the first page loads; they appear after 200 ms. */
export function SkeletonRows({ columnCount, rowHeight }: SkeletonRowsProps) {
  return (
    <>
      <tr>
        <td colSpan={columnCount} className="p-0">
          <span role="status" className="sr-only">
            Loading…
          </span>
        </td>
      </tr>
      {widths.map((width) => (
        <tr key={width} aria-hidden className="animate-late">
          <td colSpan={columnCount} className="border-b border-line px-4" style={{ height: rowHeight }}>
            <span className="block h-3 animate-pulse rounded-sm bg-hover" style={{ width: `${width}%` }} />
          </td>
        </tr>
      ))}
    </>
  )
}

const widths = [92, 78, 86, 70, 95, 81, 74, 88]
