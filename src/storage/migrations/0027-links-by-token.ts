/**
 * The index of shared links by token is not unique any more: a database that is spread over nodes by workspace cannot check that. Tokens are
 * 256 random bits. A running older server goes on.
 */
export function linksByToken(): string[] {
  return ['drop index shared_links_by_token', 'create index shared_links_by_token on shared_links (token_hash)']
}
