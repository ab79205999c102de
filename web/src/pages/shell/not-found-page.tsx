import { Link } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'

export function NotFoundPage() {
  return (
    <section className="mx-auto flex max-w-md flex-col items-center px-6 py-24 text-center">
      <title>Not found · Touchstone</title>
      <p aria-hidden className="font-display text-7xl font-semibold text-gold-ink">
        404
      </p>
      <h1 className="mt-4 font-display text-title font-semibold tracking-tight">Nothing is here</h1>
      <p className="mt-2 text-soft text-balance">
        The address is wrong, the thing was deleted, or it belongs to an application that you are not a member of.
      </p>
      <Link to={pagePaths.home()} className={`${buttonClass('primary')} mt-6`}>
        Go to your applications
      </Link>
    </section>
  )
}
