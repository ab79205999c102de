import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { ancestorsOf, type JsonLine, matchingIndexes, toJsonLines, visibleIndexes } from './json-lines.ts'
import { JsonRow } from './json-row.tsx'
import { JsonToolbar } from './json-toolbar.tsx'

interface JsonViewProps {
  /** The accessible name: "Attributes". */
  label: string
  value: unknown
}

/** Up to this many lines all are in the document, and the view grows with them. */
const virtualFrom = 300
const lineHeight = 20

/**
 * A JSON value as a tree: arrow keys move, open and close. Keys and values are attacker-influenced, so everything is
 * rendered as plain text; there are no links and no images.
 */
export function JsonView({ label, value }: JsonViewProps) {
  const [shown, setShown] = useState({ value, version: 0 })
  // Another value starts with a tree of its own.
  if (shown.value !== value) setShown({ value, version: shown.version + 1 })
  return <JsonTree key={shown.version} label={label} value={shown.value} />
}

function JsonTree({ label, value }: JsonViewProps) {
  const treeId = useId()
  const lines = useMemo(() => toJsonLines(value), [value])
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(() => initiallyCollapsed(lines))
  const [active, setActive] = useState(0)
  const [query, setQuery] = useState('')
  const matches = useMemo(() => matchingIndexes(lines, query), [lines, query])
  const visible = useMemo(() => visibleIndexes(lines, collapsed), [lines, collapsed])
  const tree = useRef<HTMLDivElement>(null)
  const isVirtual = visible.length > virtualFrom
  const virtualizer = useVirtualizer({
    count: visible.length,
    getScrollElement: () => tree.current,
    estimateSize: () => lineHeight,
    overscan: 10,
    enabled: isVirtual,
  })
  const items = virtualizer.getVirtualItems()
  const rendered = isVirtual ? items.map((item) => item.index) : visible.map((_, position) => position)
  const hasFocusMoved = useRef(false)

  const goTo = (index: number) => {
    const open = new Set(collapsed)
    for (const ancestor of ancestorsOf(lines, index)) open.delete(ancestor)
    if (open.size !== collapsed.size) setCollapsed(open)
    setActive(index)
    hasFocusMoved.current = true
  }
  useEffect(() => {
    if (!hasFocusMoved.current) return
    hasFocusMoved.current = false
    const position = visible.indexOf(active)
    if (isVirtual) virtualizer.scrollToIndex(position, { align: 'auto' })
    else tree.current?.querySelector(`[data-line="${active}"]`)?.scrollIntoView?.({ block: 'nearest' })
  })
  const toggle = (index: number) => {
    const next = new Set(collapsed)
    if (!next.delete(index)) next.add(index)
    setCollapsed(next)
    setActive(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event.key, { lines, visible, collapsed, active })
    if (action === undefined) return
    event.preventDefault()
    if (action.kind === 'toggle') toggle(active)
    else goTo(action.index)
  }
  const activeLine = lines[active] ?? lines[0]
  return (
    <div className="overflow-clip rounded-card border border-line bg-surface">
      <JsonToolbar
        label={label}
        line={activeLine}
        query={query}
        matches={matches}
        active={active}
        onQueryChange={setQuery}
        onGoTo={goTo}
        onExpandAll={() => setCollapsed(new Set())}
        onCollapseAll={() => {
          setCollapsed(containers(lines))
          setActive(0)
        }}
      />
      <div
        ref={tree}
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${treeId}-${active}`}
        onKeyDown={onKeyDown}
        className={`group/tree relative overflow-auto py-1.5 font-mono text-code focus-visible:-outline-offset-2 ${isVirtual ? 'h-96' : 'max-h-[32rem]'}`}
      >
        {isVirtual && <div aria-hidden style={{ height: items[0]?.start ?? 0 }} />}
        {rendered.map((position) => {
          const index = visible[position] ?? 0
          const line = lines[index]
          return (
            line && (
              <JsonRow
                key={index}
                id={`${treeId}-${index}`}
                ref={isVirtual ? virtualizer.measureElement : undefined}
                line={line}
                index={index}
                position={position}
                isOpen={line.descendantCount > 0 ? !collapsed.has(index) : undefined}
                isActive={index === active}
                query={query}
                isCurrentMatch={index === active && matches.includes(index)}
                onActivate={() => setActive(index)}
                onToggle={() => toggle(index)}
              />
            )
          )
        })}
        {isVirtual && <div aria-hidden style={{ height: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) }} />}
      </div>
    </div>
  )
}

/** Large values start with their deeper levels closed. */
function initiallyCollapsed(lines: JsonLine[]): ReadonlySet<number> {
  if (lines.length <= virtualFrom) return new Set()
  return new Set([...containers(lines)].filter((index) => (lines[index]?.path.length ?? 0) >= 2))
}

function containers(lines: JsonLine[]): Set<number> {
  return new Set(lines.flatMap((line, index) => (line.descendantCount > 0 ? [index] : [])))
}

interface TreeState {
  lines: JsonLine[]
  visible: number[]
  collapsed: ReadonlySet<number>
  active: number
}

type TreeAction = { kind: 'toggle' } | { kind: 'move'; index: number }

/** The keys of the ARIA tree pattern. */
function keyAction(key: string, { lines, visible, collapsed, active }: TreeState): TreeAction | undefined {
  const position = visible.indexOf(active)
  const moveTo = (index: number | undefined): TreeAction | undefined =>
    index === undefined ? undefined : { kind: 'move', index }
  const isContainer = (lines[active]?.descendantCount ?? 0) > 0
  const isOpen = isContainer && !collapsed.has(active)
  if (key === 'ArrowDown') return moveTo(visible[position + 1])
  if (key === 'ArrowUp') return moveTo(visible[position - 1])
  if (key === 'Home') return moveTo(visible[0])
  if (key === 'End') return moveTo(visible.at(-1))
  if (key === 'Enter' || key === ' ') return isContainer ? { kind: 'toggle' } : undefined
  if (key === 'ArrowRight') return isOpen ? moveTo(active + 1) : isContainer ? { kind: 'toggle' } : undefined
  if (key === 'ArrowLeft') return isOpen ? { kind: 'toggle' } : moveTo(ancestorsOf(lines, active).at(-1))
  return undefined
}
