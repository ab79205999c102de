type Post = { 'x-repeatable'?: boolean; responses: Record<string, unknown> }
type Described = { paths: Record<string, { post?: Post }> }

/**
 * The paths of POST requests that would do their work twice if they were repeated, even with an Idempotency-Key: the server
 * does not store their response, and so does not declare that the key may belong to another request (422). The clients send
 * no key to them, and never repeat them.
 */
export function postsWithoutKey({ paths }: Described): string[] {
  return Object.entries(paths)
    .filter(([, { post }]) => post && !post['x-repeatable'] && !('422' in post.responses))
    .map(([path]) => path)
    .sort()
}
