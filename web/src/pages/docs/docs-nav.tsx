import { Search } from 'lucide-react'
import { controlClass } from '../../ui/field.tsx'
import { countOf } from '../../ui/format-number.ts'
import { MethodLabel } from './method-label.tsx'
import type { Group } from './reference.ts'

interface DocsNavProps {
  groups: Group[]
  text: string
  onSearch: (text: string) => void
}

export function DocsNav({ groups, text, onSearch }: DocsNavProps) {
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0)
  return (
    <aside
      aria-label="Operations"
      className="flex flex-col pt-8 lg:sticky lg:top-14 lg:h-[calc(100dvh-3.5rem)] lg:overflow-y-auto lg:pb-10"
    >
      <search className="relative px-1">
        <Search aria-hidden className="absolute inset-y-0 left-4 my-auto size-4 text-faint" />
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search"
          value={text}
          onChange={(event) => onSearch(event.target.value)}
          className={`${controlClass} pl-9`}
        />
      </search>
      <p role="status" className="sr-only">
        {text && countOf(count, 'operation matches', 'operations match')}
      </p>
      <nav aria-label="Operations" className="mt-5 px-1 max-lg:hidden">
        {groups.map((group) => (
          <div key={group.name} className="mb-5">
            <p className="mb-1 px-2 text-data font-semibold">{group.name}</p>
            <ul>
              {group.operations.map(({ anchor, method, shortPath, summary }) => (
                <li key={anchor}>
                  <a
                    href={`#${anchor}`}
                    title={summary}
                    className="flex items-baseline gap-2 rounded-control px-2 py-1 text-data text-soft touch:py-3 hover:bg-hover hover:text-ink"
                  >
                    <MethodLabel method={method} size="small" />
                    <span className="min-w-0 font-mono text-meta leading-5 wrap-anywhere">{shortPath}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </aside>
  )
}
