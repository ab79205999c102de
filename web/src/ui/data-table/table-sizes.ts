/** Pixels. */
export const rowHeights = { compact: 32, normal: 40 }

/** Width of the column of checkboxes. */
export const checkboxWidth = 40
