import { readText, type Search } from '../../routes/search-params.ts'

/** Which disagreements are listed: those of two raters, with these ratings; and the one in the panel next to the list. */
export interface AgreementSearch {
  rater_a: string | undefined
  rater_b: string | undefined
  rating_a: string | undefined
  rating_b: string | undefined
  /** Without it, the open ones. */
  state: 'resolved' | 'all' | undefined
  item: string | undefined
}

export function readAgreement(search: Search): AgreementSearch {
  return {
    rater_a: readText(search['rater_a']),
    rater_b: readText(search['rater_b']),
    rating_a: readText(search['rating_a']),
    rating_b: readText(search['rating_b']),
    state: (['resolved', 'all'] as const).find((state) => state === search['state']),
    item: readText(search['item']),
  }
}
