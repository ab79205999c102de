import type { ReactNode } from 'react'

interface PageBodyProps {
  /** Forms and lists of few columns are narrow; tables, traces and comparisons use the screen. */
  width?: 'narrow' | 'wide'
  children: ReactNode
}

/** The content of a page below its top row. */
export function PageBody({ width = 'narrow', children }: PageBodyProps) {
  return (
    <div className={`mx-auto px-6 pt-6 pb-16 max-sm:px-4 max-sm:pb-24 ${width === 'wide' ? 'max-w-440' : 'max-w-276'}`}>
      {children}
    </div>
  )
}
