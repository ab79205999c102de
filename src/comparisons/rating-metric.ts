/** The metric of what people say. */
export const RATING = 'rating'

/** Why a metric of what people say is not shown. */
export const WITHHELD = 'withheld, because people rate one of the runs blindly'
