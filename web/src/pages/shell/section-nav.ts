/** The look of a page with sections: their names at the left, or in one row on narrow screens. */
export const sectionsClass = 'grid grid-cols-1 gap-8 md:grid-cols-[11rem_minmax(0,1fr)] md:gap-12'

export const sectionListClass = 'flex gap-1 overflow-x-auto p-1 md:flex-col'

export const sectionLinkClass =
  'block rounded-lg border-l-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft transition-colors ' +
  'hover:bg-hover hover:text-ink aria-[current]:border-gold aria-[current]:bg-hover aria-[current]:text-ink max-md:py-2.5'
