/** The cookie that carries the code through the sign-in of a provider. */
export const INVITATION_COOKIE = 'playshelf.invitation'

/** The codes by which the account library refuses a new account. */
export const INVITATION_NEEDED = 'INVITATION_NEEDED'
export const SIGN_UP_CLOSED = 'SIGN_UP_CLOSED'
