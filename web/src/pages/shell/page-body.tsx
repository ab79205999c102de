import type { ReactNode } from 'react'

interface PageBodyProps {
  /** Lists of few columns are narrow; a form with a column at its side needs more; tables, traces and comparisons use the screen. */
  width?: 'narrow' | 'form' | 'wide'
  children: ReactNode
}

/** The content of a page below its top row. */
export function PageBody({ width = 'narrow', children }: PageBodyProps) {
  return <div className={`mx-auto px-6 pt-6 pb-16 max-sm:px-4 max-sm:pb-24 ${widths[width]}`}>{children}</div>
}

const widths = { narrow: 'max-w-276', form: 'max-w-[1320px]', wide: 'max-w-440' }
