/** The look of a page with sections: their names at the left, or in one row on narrow screens. */
export const sectionsClass = 'grid grid-cols-1 gap-4 md:grid-cols-[11rem_minmax(0,1fr)] md:gap-12'

export const sectionListClass = 'flex gap-1 overflow-x-auto p-1 md:flex-col'

export const sectionLinkClass =
  'relative flex min-h-9 items-center rounded-control px-3 text-data font-medium whitespace-nowrap text-soft transition-colors ' +
  'hover:bg-hover hover:text-ink aria-[current]:bg-hover aria-[current]:text-ink touch:min-h-11 ' +
  'before:absolute before:inset-y-1.5 before:left-0 before:w-[3px] aria-[current]:before:bg-gold'
