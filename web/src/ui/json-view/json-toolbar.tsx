import { ChevronDown, ChevronsDownUp, ChevronsUpDown, ChevronUp, Search } from 'lucide-react'
import { CopyButton } from '../copy-button.tsx'
import { formatCount } from '../format-number.ts'
import { IconButton } from '../icon-button.tsx'
import { formatPath, type JsonLine } from './json-lines.ts'

interface JsonToolbarProps {
  label: string
  line: JsonLine | undefined
  query: string
  matches: number[]
  active: number
  onQueryChange: (query: string) => void
  onGoTo: (index: number) => void
  onExpandAll: () => void
  onCollapseAll: () => void
}

/** Acts on the active line of the tree, so that lines need no buttons of their own. */
export function JsonToolbar({ label, line, query, matches, active, onGoTo, ...props }: JsonToolbarProps) {
  const next = matches.find((index) => index > active) ?? matches[0]
  const previous = matches.findLast((index) => index < active) ?? matches.at(-1)
  const go = (index: number | undefined) => index !== undefined && onGoTo(index)
  const path = formatPath(line?.path ?? [])
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5 border-b border-line px-2 py-1.5">
      <span className="relative mr-1 flex min-w-40 flex-1 items-center sm:max-w-64">
        <Search aria-hidden className="pointer-events-none absolute left-2 size-3.5 text-faint" />
        <input
          type="search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={query}
          onChange={(event) => props.onQueryChange(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              go(event.shiftKey ? previous : matches.includes(active) ? next : (next ?? active))
          }}
          className="h-7 w-full rounded-control border border-edge/60 bg-raised pr-2 pl-7 text-data placeholder:text-faint touch:h-11"
        />
      </span>
      {query !== '' && (
        <>
          <span role="status" className="text-meta text-faint tabular-nums">
            {matches.length === 0 ? 'No match' : `${positionOf(matches, active)}${formatCount(matches.length)} found`}
          </span>
          <IconButton size="small-icon" label="Previous match" onClick={() => go(previous)}>
            <ChevronUp aria-hidden className="size-4" />
          </IconButton>
          <IconButton size="small-icon" label="Next match" onClick={() => go(next)}>
            <ChevronDown aria-hidden className="size-4" />
          </IconButton>
        </>
      )}
      <code className="min-w-0 flex-1 basis-24 truncate text-right font-mono text-[11px] text-faint" title={path}>
        {path}
      </code>
      <CopyButton text={path} label="Copy path" look="quiet" />
      <CopyValue line={line} />
      <IconButton size="small-icon" label="Expand all" onClick={props.onExpandAll}>
        <ChevronsUpDown aria-hidden className="size-4" />
      </IconButton>
      <IconButton size="small-icon" label="Collapse all" onClick={props.onCollapseAll}>
        <ChevronsDownUp aria-hidden className="size-4" />
      </IconButton>
    </div>
  )
}

/** A text is copied without quotes; anything else as JSON. */
function CopyValue({ line }: { line: JsonLine | undefined }) {
  if (!line) return null
  const text = typeof line.value === 'string' ? line.value : (JSON.stringify(line.value, null, 2) ?? 'null')
  return <CopyButton text={text} label="Copy value" look="quiet" />
}

function positionOf(matches: number[], active: number): string {
  const position = matches.indexOf(active)
  return position === -1 ? '' : `${formatCount(position + 1)} of `
}
