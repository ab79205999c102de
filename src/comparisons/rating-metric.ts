/** The metric of what people say. */
export const RATING_METRIC = 'rating'

/** Why a metric of what people say is not shown. */
export const WITHHELD_REASON = 'withheld, because people rate one of the runs blindly'
