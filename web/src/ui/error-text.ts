/** An error as text for a report; errors without a response have no request id. */
export function errorText(message: string, requestId: string | undefined): string {
  return requestId ? `${message} (request ${requestId})` : message
}
