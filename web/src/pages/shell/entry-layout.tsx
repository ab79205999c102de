import { Outlet } from '@tanstack/react-router'
import { Logo } from '../../ui/logo.tsx'
import { ThemeMenu } from '../../ui/theme-menu.tsx'

/** The layout of the pages before sign-in: a form on one side, the stone on the other. */
export function EntryLayout() {
  return (
    <div className="grid min-h-dvh grid-cols-1 lg:grid-cols-[minmax(30rem,1fr)_minmax(0,1.1fr)]">
      <div className="flex flex-col px-6 py-5 sm:px-10">
        <header className="flex items-center justify-between">
          <Logo />
          <ThemeMenu />
        </header>
        <main id="main" tabIndex={-1} className="m-auto w-full max-w-sm py-12">
          <Outlet />
        </main>
      </div>
      <aside className="relative hidden overflow-hidden bg-stone lg:block" aria-label="About Touchstone">
        <img src="/stone.svg" alt="" className="absolute inset-0 size-full object-cover" />
        <div className="absolute inset-x-0 bottom-0 p-12 text-stone-ink">
          <p className="max-w-md font-display text-3xl leading-snug text-balance">
            A touchstone is the stone that shows whether gold is gold.
          </p>
          <p className="mt-3 max-w-md text-stone-soft">
            This one shows whether an AI component is good, and whether a change made it better.
          </p>
        </div>
      </aside>
    </div>
  )
}
