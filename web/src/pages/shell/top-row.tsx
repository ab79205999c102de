import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

export interface Crumb {
  label: string
  to: string
  search?: Record<string, string>
}

interface TopRowProps {
  /** The pages above this one, the outermost first. */
  parents?: Crumb[]
  current: string
  /** At the right end: what concerns the whole page. */
  children?: ReactNode
}

/** The row at the top of a page: where it is, and what concerns all of it. */
export function TopRow({ parents = [], current, children }: TopRowProps) {
  return (
    <div className="sticky top-0 z-20 flex min-h-12 items-center gap-3 border-b border-line bg-canvas px-6 text-data text-soft max-sm:top-14 max-sm:px-4">
      <nav aria-label="Breadcrumb" className="min-w-0">
        <ol className="flex min-w-0 items-center gap-2">
          {parents.map(({ label, to, search = {} }) => (
            <li key={label} className="flex min-w-0 items-center gap-2">
              <Link to={to} search={search} className="truncate rounded-sm hover:text-ink hover:underline">
                {label}
              </Link>
              <ChevronRight aria-hidden className="size-3.5 shrink-0 text-faint" />
            </li>
          ))}
          <li aria-current="page" className="truncate font-medium text-ink">
            {current}
          </li>
        </ol>
      </nav>
      {children && <div className="ml-auto flex items-center gap-2">{children}</div>}
    </div>
  )
}
