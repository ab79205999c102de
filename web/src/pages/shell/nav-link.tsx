import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface NavLinkProps {
  to: string
  label: string
  icon: LucideIcon
  /** `exact` if the pages below are entries of their own. */
  matches?: 'exact' | 'below'
  /** A page below the entry is open that only a wide rail lists. */
  isAbove?: boolean
  /** After the label, such as a number of open tasks. */
  children?: ReactNode
}

/** An entry of the rail: an icon with a label, or the icon alone where the rail is narrow. */
export function NavLink({ to, label, icon: Icon, matches = 'below', isAbove, children }: NavLinkProps) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: matches === 'exact' }}
      title={label}
      data-above={isAbove || undefined}
      className="relative flex min-h-8 items-center gap-2.5 rounded-control px-2.5 text-body font-medium text-soft transition-colors before:absolute before:inset-y-0 before:-left-2.5 before:w-[3px] max-sm:before:-top-1 max-sm:before:inset-x-3 max-sm:before:h-[3px] max-sm:before:w-auto hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:bg-gold max-rail:justify-center max-rail:px-0 max-rail:data-above:bg-hover max-rail:data-above:text-ink max-rail:data-above:before:bg-gold touch:min-h-11 max-sm:min-w-16 max-sm:flex-col max-sm:gap-0.5"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="sm:max-rail:sr-only max-sm:text-meta">{label}</span>
      {children}
    </Link>
  )
}
