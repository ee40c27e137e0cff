/** Whether a program registered this address; programs on the person's own machine may use any port (RFC 8252). */
export function isRegisteredRedirect(registered: readonly string[], asked: string): boolean {
  return registered.includes(asked) || registered.some((uri) => anyPort(uri) === (anyPort(asked) ?? ''))
}

function anyPort(uri: string): string | null {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri)
  return match && `${match[1]}${match[2]}`
}
