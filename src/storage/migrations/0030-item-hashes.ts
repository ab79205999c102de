/**
 * What of an item a score was computed from, as a hash, so that a comparison notices items that were edited between two
 * evaluations. Older scores have none.
 */
export function itemHashes(): string[] {
  return ['alter table evaluation_scores add column item_hash text']
}
