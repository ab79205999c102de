import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pagePaths } from '../../path-builder.ts'
import { Logo } from '../../ui/logo.tsx'
import { ThemeMenu } from '../../ui/theme-menu.tsx'
import { SkipLink } from './skip-link.tsx'

interface TopBarProps {
  /** Next to the logo: the current location. */
  children?: ReactNode
}

export function TopBar({ children }: TopBarProps) {
  return (
    <>
      <SkipLink />
      <header className="sticky top-0 z-30 border-b border-line bg-canvas/90 backdrop-blur">
        <div className="mx-auto flex min-h-14 max-w-6xl flex-wrap items-center gap-x-3 px-4 sm:px-6">
          <Link
            to={pagePaths.home()}
            aria-label="Touchstone, all applications"
            className="flex items-center justify-center rounded-control touch:min-h-11 touch:min-w-11"
          >
            <Logo nameClass="max-sm:hidden" />
          </Link>
          {children}
          <div className="ml-auto flex items-center gap-1.5">
            <ThemeMenu />
          </div>
        </div>
      </header>
    </>
  )
}
