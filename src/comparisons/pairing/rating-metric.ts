/** The name of the metric that is derived from ratings. */
export const RATING_METRIC = 'rating'

/** The reason for withholding metrics that are derived from ratings. */
export const WITHHELD_REASON = 'withheld: one of the runs is rated blindly'
