/** Where people find things; the one place that knows the paths of pages. */
export function listingUrl(baseUrl: string, vanityName: string): string {
  return `${baseUrl}/games/${vanityName}`
}

export function developerUrl(baseUrl: string, username: string): string {
  return `${baseUrl}/users/${username}`
}

export function invitesUrl(baseUrl: string): string {
  return `${baseUrl}/dashboard/invites`
}

export function approvalUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/approvals/${token}`
}
