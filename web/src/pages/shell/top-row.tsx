import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

export interface Crumb {
  label: string
  to: string
  search?: object
  /** Narrow screens show the name of the application above. */
  isApplication?: true
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
    <div className="sticky top-0 z-30 flex min-h-12 items-center gap-3 border-b border-line bg-canvas px-6 text-data text-soft max-sm:top-14 max-sm:px-4">
      <nav aria-label="Breadcrumb" className="min-w-0">
        <ol className="flex min-w-0 items-center gap-2">
          {parents.map(({ label, to, search = {}, isApplication }, index) => (
            <li
              key={label}
              // A narrow screen has room for the nearest one.
              className={`flex min-w-0 items-center gap-2 ${isApplication || index < parents.length - 1 ? 'max-sm:hidden' : ''}`}
            >
              <Link
                to={to}
                search={search}
                className="touch-link truncate rounded-sm text-center underline-offset-4 hover:text-ink hover:underline"
              >
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
